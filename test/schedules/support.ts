/** Schedules on a whole node with a fake pool, on a clock that a test sets. */

import { createIso } from "../../src/api/time.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import type { OtherWork } from "../../src/schedules/firing.ts";
import { createSchedules, type SchedulesOptions } from "../../src/schedules/schedules.ts";
import { type Node, type NodeOptions, startNode } from "../support/node.ts";
import { bodyOf } from "../support/requests.ts";

export interface ScheduledNode extends Node {
  readonly schedules: ReturnType<typeof createSchedules>;
  readonly fired: string[];
  add(schedule: object, caller?: Caller): Promise<string>;
}

/** The machine's clock, or one that a test sets. */
export interface MovedClock {
  /** If set, the clock stands still. */
  fixed: number | undefined;
  readonly source: { wall(): number; monotonic(): number };
}

export function movedClock(): MovedClock {
  const wall = () => clock.fixed ?? Date.now();
  const clock: MovedClock = {
    fixed: undefined,
    source: { wall, monotonic: () => performance.now() },
  };
  return clock;
}

export async function startScheduled(
  options: NodeOptions & {
    readonly work?: OtherWork;
    readonly recipes?: SchedulesOptions["recipes"];
    readonly ownerOf?: (id: string) => Promise<Caller | undefined>;
  },
): Promise<ScheduledNode> {
  const node = await startNode(options);
  const { store, jobs, scheduler } = node;
  const fired: string[] = [];
  const schedules = createSchedules({
    holders: createHolders(store),
    store,
    jobs,
    iso: createIso("UTC"),
    log: options.log ?? silentLog,
    timeZone: "UTC",
    lease: () => (scheduler.notReady().length === 0 ? scheduler.lease() : undefined),
    ownerOf:
      options.ownerOf ??
      createAuthentication({ keys: store.keys, logins: store.loginSessions, holders: createHolders(store) })
        .byId,
    recipes: options.recipes ?? { check: async () => {} },
    work: options.work ?? {},
    onFired: (status) => void fired.push(status),
    onStopped: () => void fired.push("stopped"),
  });
  schedules.start();
  return {
    ...node,
    schedules,
    fired,
    add: async (schedule, caller) =>
      (await schedules.add(bodyOf(schedule), caller ?? (await owner(node)))).id,
    async kill() {
      void schedules.stop();
      await node.kill();
    },
    async stop() {
      await schedules.stop();
      await node.stop();
    },
  };
}

const owners = new WeakMap<object, Caller>();

/** A stored key, which is looked up when the schedule fires. */
export async function owner({ store }: Pick<Node, "store">): Promise<Caller> {
  const existing = owners.get(store);
  if (existing) return existing;
  const made = await makeKey(store, "owner");
  owners.set(store, made);
  return made;
}

export async function makeKey(
  store: Node["store"],
  name: string,
  more: Partial<Pick<Caller, "scope" | "hosts">> & { expiresAt?: number } = {},
): Promise<Caller> {
  const { scope = "operate", hosts = [], expiresAt } = more;
  const by = { keyId: "test", name: "test", from: null };
  const id = await store.keys.add({ name, key: `pb_${name}`, scope, hosts, expiresAt }, by);
  if (id === undefined) throw new Error(`the key ${name} is taken`);
  return { keyId: id, name, scope, hosts, from: null };
}

export const query = (...hosts: string[]) => ({
  kind: "query",
  request: {
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios" },
    command: "show version",
    devices: hosts.map((host) => ({ host })),
  },
});
