/** An NX-API connection that runs command lists. */
import type { Context, HttpSession } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { Tools } from "../../connection.ts";
import { runOneBy, type SwitchCommands } from "../nxos-common/commands.ts";
import { runCommands } from "./nxapi.ts";
import { oneByOne } from "./request-queue.ts";

export interface Transport extends SwitchCommands {
  close(): Promise<void>;
}

/** Another connection costs a handshake, so it is opened only if the running request is slow. */
const sameConnectionMs = 100;

export async function openTransport(tools: Tools, ctx: Context): Promise<Transport> {
  const { connection, http } = tools;
  const { username, password, timeoutMs } = connection;
  const authorization = Buffer.from(`${username}:${password?.reveal() ?? ""}`).toString("base64");
  const session = await http.session({ ...addressOf(tools), timeoutMs }, ctx);
  const transport = createTransport(session, { Authorization: `Basic ${authorization}` }, timeoutMs);
  // Verifies the connection and the login before the first query. A user may lack permission for some commands.
  await transport.run(["show hostname"], "json", ctx).catch(async (error) => {
    await transport.close();
    throw error;
  });
  return transport;
}

function createTransport(
  http: HttpSession,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Transport {
  const inTurn = oneByOne(sameConnectionMs);
  const run: Transport["run"] = (commands, format, ctx, limit) =>
    inTurn(() =>
      runCommands(
        http,
        { commands, format },
        { headers, timeoutMs: Math.max(timeoutMs, limit?.atLeastMs ?? 0) },
        ctx,
      ),
    );
  return {
    run,
    runOne: runOneBy(run),
    close: () => http.close(),
  };
}

function addressOf({ connection }: Tools) {
  const { optional, host, port } = connection;
  const transport = optional.transport ?? optional.nxos_protocol ?? "https";
  if (transport !== "http" && transport !== "https")
    throw new PluginError(
      "DriverError",
      `optional_args.transport: must be https or http for nxos, not "${transport}"; for SSH use nxos_ssh.`,
      { outcome: "none" },
    );
  return {
    base: `${transport}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    // Switches use self-signed certificates, so verification is off by default.
    tls: { verify: optional.ssl_verify ?? optional.verify ?? false },
  };
}
