/** The driver netmiko itself, without a job, a queue or HTTP around it. */
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { builtins } from "../../../plugins/index.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createDriverKit } from "../../../src/executor/driver-kit.ts";
import { createFilesKit } from "../../../src/executor/files-kit.ts";
import { checkUrl } from "../../../src/executor/http-address.ts";
import type { Context, Schema } from "../../../src/plugin/index.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { type BenchClient, login } from "./rows.ts";

export function driverClient(port: number): BenchClient {
  const registry = createRegistry();
  for (const one of builtins) registry.add(one, "builtin");
  const kit = createDriverKit({
    settings: {},
    registry,
    files: createFilesKit({ transferRoots: [], keyRoots: [] }),
    checkUrl: checkUrl({ policy: { allow: [], deny: [] } }),
    // No host key is known, and nothing is learnt.
    ask: async () => [],
    rule: () => ({ limited: false, addresses() {}, stated() {}, keepsHostKey: () => true }),
  });
  return {
    async open(host) {
      const ctx = context();
      const connection = await valid(plugin.connection, { device_type: "cisco_ios", host, port, ...login });
      const { default: open } = await plugin.load();
      const session = await open(kit.tools(connection, { host, port }, {}, silentLog), ctx);
      const queryArgs = await valid(plugin.args.query, {});
      const pushArgs = plugin.args.configure && (await valid(plugin.args.configure, {}));
      return {
        show: async (command) => String((await session.queryAll?.([command], queryArgs, ctx))?.[0]?.output),
        push: async (lines) => session.configure?.(lines, pushArgs, ctx),
        close: async () => session.close?.(),
      };
    },
  };
}

async function valid(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

function context(): Context {
  const end = performance.now() + 600_000;
  return {
    signal: new AbortController().signal,
    remaining: () => end - performance.now(),
    log: silentLog,
    announce: async () => {},
    warn() {},
    output() {},
  };
}
