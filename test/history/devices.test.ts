/** The list of devices with a history: each device once, in order, whatever the page, selector, state and reach. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { deviceHistoryStates, statesOf } from "../../src/api/history/history.ts";
import { createIso } from "../../src/api/time.ts";
import type { Caller } from "../../src/auth/port.ts";
import { createHistory } from "../../src/history/history.ts";
import type { History } from "../../src/history/port.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { createTaker, versionOf } from "../support/takes.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
let history: History;
let headsRead = 0;

const name = (n: number) => `sw-${String(n).padStart(2, "0")}`;
const numbers = Array.from({ length: 40 }, (_, n) => n);
/** Of these the inventory has two thirds, and three quarters have a history; some are in neither. */
const listed = numbers.filter((n) => n % 3 !== 0);
const taken = numbers.filter((n) => n % 4 !== 1);

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  const devices = listed.map((n) => ({
    ...{ name: name(n).toUpperCase(), host: `10.0.0.${n}`, tags: n % 2 === 0 ? ["even"] : [] },
  }));
  await node.inventory.upsert({ devices }, admin);
  const { take } = await createTaker(node.store);
  for (const text of ["a\n", "b\n"])
    await take(taken.map((n) => ({ device: name(n), versions: [versionOf(text)] })));
  const suspect = versionOf("c\n", { state: "suspect", reason: "cut" });
  await take([4, 8, 11].map((n) => ({ device: name(n), versions: [suspect] })));
  await take(
    [4, 12, 15].map((n) => ({ device: name(n), versions: [versionOf("b\n")] })),
    { unsaved: true },
  );
  // Answered by a good text, and doubted again.
  await take([{ device: name(4), versions: [suspect] }]);
  await take(
    [12, 19].map((n) => ({ device: name(n), versions: [] })),
    { error: "ConnectionTimeout" },
  );
  const { inventory } = node;
  const { history: stored } = node.store;
  const store = {
    ...node.store,
    history: {
      ...stored,
      async devices(...asked: Parameters<typeof stored.devices>) {
        const heads = await stored.devices(...asked);
        headsRead += heads.length;
        return heads;
      },
    },
  };
  history = createHistory({
    ...{ store, inventory, iso: createIso("UTC"), onAsked: () => {} },
    ...{ driver: () => undefined, platform: () => undefined },
    pool: { run: () => Promise.reject(new Error("nothing is compared")) },
    jobs: { compare: () => Promise.reject(new Error("nothing is restored")) },
  });
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

async function pages(limit: number, filter: Parameters<History["devices"]>[0] = {}, caller: Caller = admin) {
  const found = [];
  for (let cursor: string | undefined; ; ) {
    const page = await history.devices(filter, caller, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    if (page.next === undefined) return found;
    cursor = page.next;
  }
}

test("all devices of the inventory and of the history are listed once, for any size of the pages", async () => {
  const all = numbers.filter((n) => listed.includes(n) || taken.includes(n)).map(name);
  for (const limit of [1, 2, 7, 13, 1_000]) {
    const found = await pages(limit);
    expect(found.map(({ device }) => device.toLowerCase())).toEqual(all);
  }
  const [counted] = (await pages(50)).filter(({ device }) => device.toLowerCase() === name(8));
  expect(counted).toMatchObject({ versions: 2, suspects: 1, latest: { version: 2, state: "good" } });
});

test("a state lists the devices whose records have it, and no other", async () => {
  const all = await pages(1_000);
  for (const state of deviceHistoryStates) {
    const expected = all.filter((one) => statesOf(one).includes(state)).map(({ device }) => device);
    expect(expected).not.toEqual([]);
    for (const limit of [1, 3, 50]) {
      const found = await pages(limit, { state });
      expect(found.map(({ device }) => device)).toEqual(expected);
      const even = await pages(limit, { state, select: "tag:even" });
      const isEven = (n: number) => n % 2 === 0 && listed.includes(n);
      expect(even.map(({ device }) => device)).toEqual(
        expected.filter((device) => isEven(Number(device.slice(-2)))),
      );
    }
  }
});

test("devices that were never read are found without the versions of the others", async () => {
  headsRead = 0;
  const missing = await pages(50, { state: "missing" });
  expect(missing.length).toBeGreaterThan(0);
  expect(headsRead).toBeLessThanOrEqual(missing.length);
});

test("a selector, a state and the reach of the key leave out others only", async () => {
  const even = listed.filter((n) => n % 2 === 0);
  for (const limit of [1, 3, 50]) {
    const selected = await pages(limit, { select: "tag:even" });
    expect(selected.map(({ device }) => device.toLowerCase())).toEqual(even.map(name));
    const suspects = await pages(limit, { state: "suspect" });
    expect(suspects.map(({ device }) => device.toLowerCase())).toEqual([4, 8, 11].map(name));
    const limited = { ...admin, hosts: ["10.0.0.0/28"] };
    const reached = await pages(limit, { select: "tag:even" }, limited);
    expect(reached.map(({ device }) => device.toLowerCase())).toEqual(even.filter((n) => n < 16).map(name));
  }
});
