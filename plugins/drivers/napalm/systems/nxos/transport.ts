/** A switch behind NX-API: connected once, asked by lists of commands. */
import type { Context, HttpSession } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { Tools } from "../../connection.ts";
import { oneBy, type SwitchCommands } from "../nxos-common/commands.ts";
import { oneByOne } from "./in-turn.ts";
import { runCommands } from "./nxapi.ts";

export interface Transport extends SwitchCommands {
  close(): Promise<void>;
}

/** Another connection costs both sides a handshake: only a switch that takes its time is asked beside that. */
const sameConnectionMs = 100;

export async function openTransport(tools: Tools, ctx: Context): Promise<Transport> {
  const { connection, http } = tools;
  const { username, password, timeoutMs } = connection;
  const authorization = Buffer.from(`${username}:${password?.reveal() ?? ""}`).toString("base64");
  const session = await http.session({ ...addressOf(tools), timeoutMs }, ctx);
  const transport = createTransport(session, { Authorization: `Basic ${authorization}` }, timeoutMs);
  // Whether it is there, and takes the login, is known before a question is; a user may not see every command.
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
    one: oneBy(run),
    close: () => http.close(),
  };
}

function addressOf({ connection }: Tools) {
  const { optional, host, port } = connection;
  const transport = optional.transport ?? optional.nxos_protocol ?? "https";
  if (transport !== "http" && transport !== "https")
    throw new PluginError(
      "DriverError",
      `optional_args.transport: nxos is reached by https or http, not by "${transport}"; over SSH it is nxos_ssh.`,
      { outcome: "none" },
    );
  return {
    base: `${transport}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    // Switches make their own certificates, so by default none need be valid.
    tls: { verify: optional.ssl_verify ?? optional.verify ?? false },
  };
}
