/** Workers of all nodes: who may see which, and who may stop which. */
import { expect, test } from "vitest";
import { createWorkerQueries } from "../../src/admin/workers.ts";
import type { Caller } from "../../src/auth/port.ts";
import type { EffectiveDevice, Inventory } from "../../src/inventory/port.ts";
import { createAdmission } from "../../src/limits/admission.ts";
import type { NewAuditEntry, StoredWorker, WorkerState } from "../../src/store/port.ts";
import { noInventory } from "../http/doubles/no-inventory.ts";
import { admin } from "../support/requests.ts";

const state = (name: string, queue: string, status: WorkerState["status"] = "idle"): WorkerState => ({
  name,
  status,
  queue,
  currentJob: null,
  birthAt: 1,
  succeeded: 2,
  failed: 3,
});
const elsewhere = (name: string, queue: string, alive = true): StoredWorker => ({
  ...state(name, queue, "busy"),
  node: "n2",
  hostname: "other",
  pid: 2,
  heartbeatAt: 4,
  alive,
});

/** A node with two workers and one with three, one of which is dead. */
function queries(shared = true, inventory: Inventory = noInventory) {
  const asked: (readonly string[])[] = [];
  const stopped: (readonly string[])[] = [];
  const trail: NewAuditEntry[] = [];
  const { workers, stopWorkers } = createWorkerQueries({
    inventory,
    admission: createAdmission(),
    store: {
      shared,
      clock: { wall: () => 5 },
      workers: {
        ofOtherNodes: async () => [
          elsewhere("n2.fifo.0", "fifo"),
          elsewhere("n2.pinned_r2", "pinned_r2"),
          elsewhere("n2.pinned_r3", "pinned_r3", false),
        ],
        requestStop: async (names) => void asked.push(names),
      },
      audit: { add: async (note) => void trail.push(note) },
    },
    iso: String,
    node: { name: "n1", hostname: "here", pid: 1 },
    ownWorkers: () => [state("n1.fifo.0", "fifo"), state("n1.pinned_r1", "pinned_r1", "busy")],
    onStopWorkers: (names) => void stopped.push(names),
  });
  return { workers, stopWorkers, asked, stopped, trail };
}

const limited: Caller = { ...admin, keyId: "k9", hosts: ["r1", "r3"] };
const names = (all: readonly { name: string }[]) => all.map(({ name }) => name);

test("workers of this node are listed live, those of other nodes as last stored", async () => {
  const [first, , third, , dead] = await queries().workers({}, admin);
  expect(first).toMatchObject({ name: "n1.fifo.0", node: "n1", pid: 1, last_heartbeat: "5", birth_at: "1" });
  expect(third).toMatchObject({ node: "n2", pid: 2, last_heartbeat: "4", status: "busy" });
  expect(dead).toMatchObject({ name: "n2.pinned_r3", status: "dead" });
  expect(names(await queries(false).workers({}, admin))).toEqual(["n1.fifo.0", "n1.pinned_r1"]);
});

test("workers are filtered by each field and by all together", async () => {
  const { workers } = queries();
  expect(names(await workers({ queue: "fifo" }, admin))).toEqual(["n1.fifo.0", "n2.fifo.0"]);
  expect(names(await workers({ host: "r2" }, admin))).toEqual(["n2.pinned_r2"]);
  expect(names(await workers({ node: "n2", status: "busy" }, admin))).toEqual(["n2.fifo.0", "n2.pinned_r2"]);
  expect(await workers({ node: "n1", host: "r2" }, admin)).toEqual([]);
});

test("a limited key sees the workers of its hosts, but none that serves all hosts", async () => {
  expect(names(await queries().workers({}, limited))).toEqual(["n1.pinned_r1", "n2.pinned_r3"]);
});

test("a stop is sent to the nodes of live workers and audited", async () => {
  const { stopWorkers, asked, stopped, trail } = queries();
  const all = await stopWorkers({ status: "busy" }, admin);
  expect(all).toEqual(["n1.pinned_r1", "n2.fifo.0", "n2.pinned_r2"]);
  expect([stopped, asked]).toEqual([[["n1.pinned_r1"]], [["n2.fifo.0", "n2.pinned_r2"]]]);
  expect(trail).toMatchObject([{ action: "worker.stop", detail: "n1.pinned_r1, n2.fifo.0, n2.pinned_r2" }]);
  expect(await stopWorkers({ name: "n2.pinned_r3" }, admin)).toEqual([]);
  expect(trail).toHaveLength(1);
  await expect(stopWorkers({}, admin)).rejects.toMatchObject({ kind: "Validation" });
});

test("a device of the inventory is found by its name, and its worker tells it", async () => {
  const device = { name: "ber-1", host: "r1" } as EffectiveDevice;
  const snapshot = {
    ...(await noInventory.snapshot()),
    device: (name: string) => (name === "ber-1" ? { ...device, hostKey: "r1" } : undefined),
    devicesAt: (host: string) => (host === "r1" ? [device] : []),
  };
  const { workers } = queries(true, { ...noInventory, snapshot: async () => snapshot });
  expect(names(await workers({ host: "ber-1" }, admin))).toEqual(["n1.pinned_r1"]);
  const all = await workers({}, admin);
  expect(all.map(({ device }) => device)).toEqual([undefined, "ber-1", undefined, undefined, undefined]);
});
