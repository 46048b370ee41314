/** The system iosxr_netconf: Cisco IOS XR over NETCONF with its native models. */
import { type Context, type NetconfSession, PluginError } from "patchbay/plugin";
import { lockOrClose } from "../../common/netconf.ts";
import { sshTargetOf } from "../../connection.ts";
import { defineSystem, type OpenSystem } from "../../system.ts";
import { createConfiguration, lock } from "./configuration.ts";
import { type XrDevice, xrDevice } from "./device.ts";
import { factsOf, factsOperation } from "./getters/facts.ts";
import { getters } from "./getters.ts";

export default defineSystem<XrDevice>({
  name: "iosxr_netconf",
  getters,
  async open(tools, ctx): Promise<OpenSystem<XrDevice>> {
    const { optional, timeoutMs, username, host } = tools.connection;
    const session = await tools.netconf.open(
      { ssh: await sshTargetOf(tools, "legacy"), replyTimeoutMs: timeoutMs },
      ctx,
    );
    const holdsLock = optional.config_lock === true;
    if (holdsLock) await lockOrClose(session, lock, ctx);
    return {
      platform: "cisco_xr",
      device: (answers, ctx) => xrDevice(session, optional, answers, ctx),
      cli: async (command) => {
        throw new PluginError(
          "DriverError",
          "iosxr_netconf has no command line: use the device_type iosxr, or the driver netmiko.",
          { command, outcome: "none" },
        );
      },
      configuration: createConfiguration(session, optional),
      describe: (ctx) => describe(session, username, host, ctx),
      concurrent: true,
      alive: async () => session.alive(),
      // An idle session must not hold the lock.
      reusable: async () => session.alive() && !holdsLock,
      close: session.close,
    };
  },
});

async function describe(
  session: NetconfSession,
  username: string,
  host: string,
  ctx: Context,
): Promise<Record<string, string>> {
  const { root } = await session.rpc(factsOperation, {}, ctx);
  const { hostname, model, os_version } = factsOf(root);
  return { prompt: `${username}@${hostname || host}#`, version: os_version, model, netconf: session.version };
}
