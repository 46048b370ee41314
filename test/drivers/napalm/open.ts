/** Opens a NAPALM system on a test's device, with the tools that the service provides. */
import * as v from "valibot";
import { type Connection, connection } from "../../../plugins/drivers/napalm/connection.ts";
import type { System, SystemSession } from "../../../plugins/drivers/napalm/system.ts";
import cisco from "../../../plugins/platforms/cisco.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createDriverKit } from "../../../src/executor/kit/driver-kit.ts";
import { createFilesKit } from "../../../src/executor/kit/files-kit.ts";
import { checkUrl } from "../../../src/executor/kit/http-address.ts";
import type { Context } from "../../../src/plugin/index.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { taskContext } from "../../plugin/context.ts";

const registry = createRegistry();
for (const platform of cisco) registry.add(platform, "builtin");

const lease = new SharedArrayBuffer(8);
new Float64Array(lease)[0] = Number.POSITIVE_INFINITY;
const kit = createDriverKit({
  settings: { transferRoots: [], leaseValidUntil: lease },
  registry,
  files: createFilesKit({ transferRoots: [], keyRoots: [] }, () => ({ limited: false })),
  checkUrl: checkUrl({ policy: { allow: [], deny: [] } }),
  rule: () => ({ limited: false, addresses() {}, stated() {}, keepsHostKey: () => true }),
  ask: async () => [],
});

export interface Job extends Context {
  readonly warnings: readonly string[];
  /** Cancels it, as DELETE /job does. */
  cancel(): void;
}

/** A job and its warnings. */
export function job(): Job {
  const warnings: string[] = [];
  const cancelled = new AbortController();
  const ctx = taskContext(
    { signal: cancelled.signal, warn: (message) => void warnings.push(message) },
    60_000,
  );
  return { ...ctx, warnings, cancel: () => cancelled.abort(new ServiceError("Cancelled", "cancelled")) };
}

/** @param given `connection_args` besides address and login */
export function openOn(
  system: System,
  given: Readonly<Record<string, unknown>>,
  ctx: Context,
): Promise<SystemSession> {
  const parsed: Connection = v.parse(connection, {
    device_type: system.name,
    host: "127.0.0.1",
    username: "admin",
    password: "canary-napalm-2",
    ...given,
  });
  const tools = kit.tools(parsed, { host: parsed.host, port: parsed.port }, {}, silentLog);
  return system.open({ ...tools, hide() {} }, ctx);
}
export const password = "canary-napalm-2";
