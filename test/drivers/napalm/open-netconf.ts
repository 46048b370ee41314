/** Opens a NAPALM system on a simulated router, over real SSH and NETCONF. */
import { parse } from "valibot";
import { connection, type Tools } from "../../../plugins/drivers/napalm/connection.ts";
import type { System, SystemSession } from "../../../plugins/drivers/napalm/system.ts";
import { createNetconfKit } from "../../../src/executor/kit/netconf-kit.ts";
import type { Context } from "../../../src/plugin/index.ts";
import { newSsh } from "../../device/ssh/support.ts";
import type { NetconfServer } from "../../support/netconf-server.ts";
import { toolsWith } from "../tools.ts";

export function openOn(
  system: System,
  { host, port, user, password }: NetconfServer,
  ctx: Context,
  optional: Record<string, unknown> = {},
): Promise<SystemSession> {
  const ssh = newSsh();
  const kit: Tools["ssh"] = { connect: (target, limit) => ssh.connect(target, limit) };
  const given = parse(connection, {
    device_type: system.name,
    hostname: host,
    username: user,
    password,
    timeout: 30,
    optional_args: { port, ...optional },
  });
  return system.open(toolsWith(given, { ssh: kit, netconf: createNetconfKit(kit) }), ctx);
}
