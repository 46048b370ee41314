/** Runs a driver without jobs, queue or HTTP. */

import { builtins } from "../../plugins/index.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDriverKit } from "../../src/executor/kit/driver-kit.ts";
import { createFilesKit } from "../../src/executor/kit/files-kit.ts";
import { checkUrl } from "../../src/executor/kit/http-address.ts";
import type { Context, DriverPlugin, Schema, Session } from "../../src/plugin/index.ts";
import { quietContext } from "../../src/plugin/quiet-context.ts";
import { createRegistry } from "../../src/registry/registry.ts";

export interface OpenDriver {
  readonly session: Session;
  readonly ctx: Context;
}

/** @returns a function that opens a session of the driver */
export function driverInProcess(plugin: DriverPlugin): (connection: object) => Promise<OpenDriver> {
  const registry = createRegistry();
  for (const one of builtins) registry.add(one, "builtin");
  const rule = () => ({ limited: false, addresses() {}, stated() {}, keepsHostKey: () => true });
  const kit = createDriverKit({
    settings: { transferRoots: [] },
    registry,
    files: createFilesKit({ transferRoots: [], keyRoots: [] }, rule),
    checkUrl: checkUrl({ policy: { allow: ["127.0.0.0/8"], deny: [] } }),
    // There are no known host keys, and none are learned.
    ask: async () => [],
    rule,
  });
  return async (given) => {
    const ctx = context();
    const connection = await valid(plugin.connection, given);
    const { default: open } = await plugin.load();
    const tools = { ...kit.tools(connection, plugin.target(connection), {}, silentLog), hide() {} };
    return { session: await open(tools, ctx), ctx };
  };
}

export async function valid(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

function context(): Context {
  const end = performance.now() + 600_000;
  return quietContext({ remaining: () => end - performance.now() });
}
