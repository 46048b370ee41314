/** The stream of new versions: in order, within reach, and resumed without loss or repeat. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIso } from "../../src/api/time.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createHistoryFeed } from "../../src/history/feed.ts";
import type { FeedEvent, HistoryFeed } from "../../src/history/port.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { createTaker, type Taker, versionOf } from "../support/takes.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
let taker: Taker;
let feed: HistoryFeed;
let ends: AbortController[];

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  taker = await createTaker(node.store);
  ends = [];
  const { store, inventory } = node;
  feed = createHistoryFeed({ store, inventory, log: silentLog, iso: createIso("UTC") });
});
afterEach(async () => {
  for (const end of ends) end.abort();
  await node.stop();
  folder.remove();
});

function open(from?: number, caller: Caller = admin, filter: Parameters<HistoryFeed["follow"]>[0] = {}) {
  const end = new AbortController();
  ends.push(end);
  return feed.follow(filter, { caller, from, signal: end.signal });
}

/** The next versions as `device version`, with their positions. */
async function next(events: AsyncGenerator<FeedEvent>, count: number) {
  const found: { n: number; text: string }[] = [];
  while (found.length < count) {
    const { value } = await events.next();
    if (value?.kind === "version")
      found.push({ n: value.n, text: `${value.record.device} ${value.record.version}` });
  }
  return found;
}

const change = (device: string, text: string) => ({ device, versions: [versionOf(text)] });
const names = Array.from({ length: 40 }, (_, n) => `sw${n}`);

test("a listener gets what comes after it, and one that was away everything since, once and in order", async () => {
  await taker.take(names.map((name) => change(name, "a\n")));
  const live = open();
  expect(await live.next()).toMatchObject({ value: { kind: "here", n: 40 } });
  await taker.take(names.map((name) => change(name, "b\n")));
  const seen = await next(live, 15);
  await live.return(undefined);
  await taker.take(names.map((name) => change(name, "c\n")));
  const resumed = await next(open(seen.at(-1)?.n), 65);
  const all = [...seen, ...resumed];
  expect(all.map(({ n }) => n)).toEqual(Array.from({ length: 80 }, (_, at) => 41 + at));
  expect(new Set(all.map(({ text }) => text)).size).toBe(80);
});

test("a listener far behind reads from the store, and then goes on with what is new", async () => {
  const many = Array.from({ length: 700 }, (_, n) => `r${n}`);
  await taker.take(many.map((name) => change(name, "a\n")));
  const late = open(0);
  expect((await next(late, 700)).map(({ n }) => n)).toEqual(many.map((_, at) => at + 1));
  await taker.take([change("sw1", "a\n")]);
  expect(await next(late, 1)).toMatchObject([{ text: "sw1 1", n: 701 }]);
});

test("a listener gets devices that its key may reach, and states that it asked for", async () => {
  const limited = open(0, { ...admin, hosts: ["sw1"] });
  const suspects = open(0, admin, { state: "suspect" });
  await taker.take([change("sw2", "a\n"), change("sw1", "a\n")]);
  await taker.take([{ device: "sw2", versions: [versionOf("x\n", { state: "suspect", reason: "cut" })] }]);
  await taker.take([change("sw1", "b\n")]);
  expect((await next(limited, 2)).map(({ text }) => text)).toEqual(["sw1 1", "sw1 2"]);
  expect((await next(suspects, 1)).map(({ text }) => text)).toEqual(["sw2 2"]);
  await expect(open(0, { ...admin, scope: "read" }).next()).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(open(0, admin, { select: "((" }).next()).rejects.toMatchObject({ kind: "Validation" });
});

test("a position that never was is reset to the newest one", async () => {
  await taker.take([change("sw1", "a\n")]);
  const events = open(99);
  expect(await events.next()).toMatchObject({ value: { kind: "reset", n: 1 } });
  await taker.take([change("sw1", "b\n")]);
  expect(await next(events, 1)).toMatchObject([{ n: 2, text: "sw1 2" }]);
});
