/** Opens a NAPALM system on a simulated router, over real SSH and NETCONF. */
import { parse } from "valibot";
import { connection, type Tools } from "../../../plugins/drivers/napalm/connection.ts";
import type { System, SystemSession } from "../../../plugins/drivers/napalm/system.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createNetconfKit } from "../../../src/executor/kit/netconf-kit.ts";
import type { Context } from "../../../src/plugin/index.ts";
import { newSsh } from "../../device/ssh/support.ts";
import type { NetconfServer } from "../../support/netconf-server.ts";

const notUsed = () => Promise.reject(new Error("not used"));

export function openOn(
  system: System,
  { host, port, user, password }: NetconfServer,
  ctx: Context,
  optional: Record<string, unknown> = {},
): Promise<SystemSession> {
  const ssh = newSsh();
  const tools: Tools = {
    log: silentLog,
    hide() {},
    settings: {},
    connection: parse(connection, {
      device_type: system.name,
      hostname: host,
      username: user,
      password,
      timeout: 30,
      optional_args: { port, ...optional },
    }),
    ssh: { connect: (target, limit) => ssh.connect(target, limit) },
    netconf: createNetconfKit({ connect: (target, limit) => ssh.connect(target, limit) }),

    udp: { open: notUsed },
    grpc: { connect: notUsed },
    cli: { open: notUsed },
    http: { request: notUsed, session: notUsed },
    files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: async () => [] },
    platform: () => {
      throw new Error("not used");
    },
    platforms: () => [],
  };
  return system.open(tools, ctx);
}
