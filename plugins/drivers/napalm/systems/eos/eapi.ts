/** Runs command lists over eAPI. */
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { createEapiClient } from "../../../shared/eos/eapi-client.ts";
import type { Tools } from "../../connection.ts";
import type { Transport } from "./transport.ts";

/** NAPALM uses the first version of every structure, and so do these getters. */
const version = 1;

export async function openEapi(tools: Tools, ctx: Context): Promise<Transport> {
  const { connection, http } = tools;
  const { optional, username, password, secret, timeoutMs, host, port } = connection;
  const transport = protocolOf(optional.transport);
  const verify = optional.ssl_verify ?? optional.verify ?? false;
  const autoComplete = optional.eos_autoComplete ?? optional.autoComplete;
  const client = createEapiClient({
    http,
    login: {
      username,
      password,
      auth: "basic",
      enable: secret,
      enableField: "optional_args.enable_password",
      privileged: optional.force_no_enable !== true,
    },
    timeoutMs,
    address: async () => ({
      base: `${transport}://${host.includes(":") ? `[${host}]` : host}:${port}`,
      tls: { verify },
    }),
  });
  const options = { version, autoComplete };
  const alive = async (ctx: Context) => {
    await client.run({ commands: [], format: "json" }, options, ctx);
    return true;
  };
  // Verifies the connection and the login before the first query.
  await alive(ctx).catch(async (error) => {
    await client.close();
    throw error;
  });
  return {
    concurrent: true,
    run: (commands, format, ctx) => client.run({ commands, format }, options, ctx),
    alive: (ctx) => alive(ctx).catch(() => false),
    // No state is left after a job: each list logs in separately.
    reusable: async () => true,
    close: client.close,
  };
}

function protocolOf(transport = "https"): "http" | "https" {
  if (transport === "http" || transport === "https") return transport;
  if (transport === "https_certs") return "https";
  throw new PluginError(
    "DriverError",
    `optional_args.transport: must be https, http or ssh for eos, not "${transport}".`,
    { outcome: "none" },
  );
}
