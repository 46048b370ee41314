/**
 * A node whose callers may reach only a few hosts, with the built-in drivers and templates and unreachable
 * devices.
 */
import { builtins } from "../../plugins/index.ts";
import type { Caller } from "../../src/auth/port.ts";
import { createSelectedReach } from "../../src/auth/selected.ts";
import { createSelectedHosts } from "../../src/inventory/selector/selected-hosts.ts";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import { fieldsOf } from "../../src/registry/fields.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Answered, createApp, type Sending } from "../http/doubles/fixtures.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

export const within = "10.22.0.1";
export const outside = "10.66.0.9";
const names: Record<string, string[]> = {
  "in.corp": [within],
  "behind.corp": [within],
  "out.corp": [outside],
  "both.corp": [within, outside],
};
export const hosts = ["10.22.*", "*.lab"];
export const operator: Caller = { keyId: "k-op", name: "op", scope: "operate", hosts, from: null };
const limitedAdmin: Caller = { ...operator, keyId: "k-ad", name: "ad", scope: "admin" };
const callers: Record<string, Caller> = { admin, operator, limitedAdmin };
/** Keys limited by a selector: the devices with the tag `mine`. */
const selecting: Record<string, Caller> = {
  selector: { ...operator, keyId: "k-sel", name: "sel", hosts: ["select:tag:mine"] },
  selectorAdmin: { ...limitedAdmin, keyId: "k-sad", name: "sad", hosts: ["select:tag:mine"] },
};

export const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");

export interface LimitedNode {
  readonly node: Node;
  /** Tasks of limited keys that reached a thread, as JSON. */
  readonly reached: ReadonlySet<string>;
  /** Resolves on the next webhook delivery. */
  delivery(): Promise<void>;
  /** @param as name of a caller: `admin`, `operator`, `limitedAdmin`, `selector`, `selectorAdmin` */
  send(as: string, path: string, sending?: Sending): Promise<Answered>;
  stop(): Promise<void>;
}

export async function startLimitedNode(): Promise<LimitedNode> {
  const folder = temporary();
  const reached = new Set<string>();
  let delivered = Promise.withResolvers<void>();
  const sessions = [within, outside].map((host, id) => ({ id, host, driver: "netmiko", thread: 0 }));
  const pool = { ...fakePool(), sessions: () => sessions };
  const run = pool.run.bind(pool);
  pool.run = (task, options) => {
    if ("reach" in task && task.reach.length > 0) reached.add(JSON.stringify(task));
    if (task.kind === "deliver") delivered.resolve();
    return run(task, options);
  };
  const node = await startNode({
    directory: folder.path,
    pool,
    plugins: registry,
    urlAllow: ["hooks.example", "10.0.0.0/8"],
    resolve: async (name) => names[name] ?? [],
  });
  const reachable = createSelectedReach(createSelectedHosts(node.inventory));
  const authenticate = async (key: string) => {
    const caller = selecting[key];
    return caller === undefined ? callers[key] : { ...caller, hosts: await reachable(caller.hosts) };
  };
  return {
    node,
    reached,
    delivery() {
      delivered = Promise.withResolvers();
      return delivered.promise;
    },
    send: (as, path, sending = {}) =>
      createApp(
        {},
        {
          ...{ jobs: node.jobs, admin: node.admin, detached: node.detached },
          ...{ inventory: node.inventory, authenticate },
        },
      ).send(path, { ...sending, key: as }),
    async stop() {
      await node.stop();
      folder.remove();
    },
  };
}

/** A driver's required fields; the tested field is added to them. */
export function connectionOf(driver: DriverPlugin): Record<string, unknown> {
  const all = { device_type: "cisco_ios", host: within, username: "u", password: "canary-word" };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) =>
      name === "host" && fieldsOf(driver.connection)?.includes("host") === false
        ? ["hostname", value]
        : [name, value],
    ),
  );
}
