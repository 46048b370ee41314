/** Takes that are due are submitted: in bulks as large as they may be, and one that is refused costs no other. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createHistoryRunner, type HistoryRunner } from "../../src/history/takes/runner.ts";
import type { Jobs } from "../../src/jobs/port.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
let runner: HistoryRunner;
/** The devices of each bulk that was taken. */
let bulks: string[][];
let refuse: (devices: readonly string[]) => ServiceError | undefined;

const names = Array.from({ length: 230 }, (_, n) => `sw${n}`);

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  const devices = names.map((name) => ({
    ...{ name, host: name, driver: "netmiko", platform: "cisco_ios" },
    connection: { username: "admin" },
  }));
  await node.inventory.upsert({ devices }, admin);
  bulks = [];
  const take = async ({ value }: Parameters<Jobs["take"]>[0]) => {
    const { devices } = value as { readonly devices: string[] };
    const error = refuse(devices);
    if (error !== undefined) throw error;
    bulks.push(devices);
  };
  const { store, inventory } = node;
  runner = createHistoryRunner({
    ...{ store, inventory, log: silentLog, isReady: () => true, onPruned() {} },
    ...{ ownerOf: async () => admin, pushDue: async () => false, keep: { days: 1, versions: 10 } },
    jobs: { take: take as unknown as Jobs["take"] },
  });
  for (const name of names)
    await store.history.ask(
      { name, caller: "k1", source: "push", causeJobId: null, who: null, note: null },
      0,
    );
});
afterEach(async () => {
  await runner?.stop();
  await node.stop();
  folder.remove();
});

const allDone = () => expect.poll(() => node.store.history.nextDueMs(), { timeout: 60_000 }).toBeUndefined();

test("more than a bulk may have are several bulks", async () => {
  refuse = ({ length }) => (length > 100 ? new ServiceError("PayloadTooLarge", "too many") : undefined);
  runner.start();
  await allDone();
  expect(bulks.flat().sort()).toEqual([...names].sort());
  expect(bulks.length).toBeLessThanOrEqual(4);
});

test("a device that is refused is given up alone", async () => {
  refuse = (devices) =>
    devices.includes("sw77") ? new ServiceError("Validation", "no driver of its own") : undefined;
  runner.start();
  await allDone();
  expect(bulks.flat().sort()).toEqual(names.filter((name) => name !== "sw77").sort());
});
