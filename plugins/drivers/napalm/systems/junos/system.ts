/** The system junos: Juniper Junos over NETCONF. */
import type { Context, NetconfSession, xml } from "patchbay/plugin";
import { lockOrClose } from "../../common/netconf.ts";
import { sshTargetOf } from "../../connection.ts";
import { defineSystem, type OpenSystem } from "../../system.ts";
import { runCommand, runJsonCommand } from "./cli.ts";
import { createConfiguration, lock } from "./configuration.ts";
import { isRefusal, type JunosDevice, junosDevice } from "./device.ts";
import { identity } from "./getters/facts.ts";
import { getters } from "./getters.ts";

export default defineSystem<JunosDevice>({
  name: "junos",
  getters,
  async open(tools, ctx): Promise<OpenSystem<JunosDevice>> {
    const { optional, timeoutMs, username } = tools.connection;
    const session = await tools.netconf.open(
      { ssh: await sshTargetOf(tools, "legacy"), replyTimeoutMs: timeoutMs },
      ctx,
    );
    const holdsLock = optional.config_lock === true && optional.lock_disable !== true;
    if (holdsLock) await lockOrClose(session, lock, ctx);
    return {
      platform: "juniper_junos",
      device: (answers, ctx) => junosDevice(session, optional, answers, ctx),
      cli: (command, ctx) => runCommand(session, command, ctx),
      cliJson: (command, ctx) => runJsonCommand(session, command, ctx),
      configuration: createConfiguration(session, optional, username),
      describe: (ctx) => describe(session, username, ctx),
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
  ctx: Context,
): Promise<Record<string, string>> {
  const ask = async (operation: ReturnType<typeof xml>) => (await session.rpc(operation, {}, ctx)).root;
  // A user without permission for this request can still log in.
  const facts = await identity({ ask }).catch((error) => {
    if (isRefusal(error)) return undefined;
    throw error;
  });
  if (facts === undefined) return { prompt: `${username}>`, netconf: session.version };
  const { hostname, model, version } = facts;
  return { prompt: `${username}@${hostname}>`, version, model, netconf: session.version };
}
