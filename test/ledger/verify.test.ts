/** What is not in the ledger is found: pushes without an entry, and configurations that no entry explains. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LedgerBreak, ledgerLimits } from "../../src/api/ledger/ledger.ts";
import { checkExport } from "../../src/ledger/export-check.ts";
import { signNewest } from "../../src/ledger/signing.ts";
import { pieceOf } from "../../src/ledger/verify.ts";
import type { NewConfigVersion, NodeFence, SentWork } from "../../src/store/port.ts";
import { endOf } from "../store/contract/fixture.ts";
import {
  claimRequest,
  closeStore,
  facts,
  makePlace,
  newJob,
  openStore,
  type TestPlace,
} from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { added, admin, exported, ledgerOf, linesOf } from "./support.ts";

let place: TestPlace;
let store: AnyStore;
let node: NodeFence;

beforeEach(async () => {
  place = await makePlace("file");
  store = await openStore(place);
  const fence = await store.nodes.acquire({ ...facts, name: "n1", home: "n1" });
  if (fence === undefined) throw new Error("no lease");
  node = fence;
  await passed();
});
afterEach(async () => {
  await closeStore(store);
  await place.remove();
});

/** Times of the store are in milliseconds. */
const passed = () => new Promise((resolve) => setTimeout(resolve, 3));
const work: SentWork = { kind: "push", lines: 1, sha256: "ab".repeat(32) };
const signal = new AbortController().signal;
const piece = (next: string) => ledgerOf(store).verify({ text: "", value: { next } }, admin, signal);

async function claimed(more: object) {
  const job = newJob(store, { host: "10.0.0.1", ...more });
  await store.jobs.insert([job]);
  const { jobs } = await store.claims.claim(node, claimRequest([job.queue]));
  const fence = jobs[0]?.fence;
  if (fence === undefined) throw new Error("not claimed");
  return { id: job.id, fence };
}

async function push(more: object = {}, sent: Partial<SentWork> | null = {}): Promise<string> {
  const { id, fence } = await claimed({ operation: "config", device: "SW1", ...more });
  await store.claims.recordIntent(fence, ["a"], 0);
  await store.settlements.end(
    { ...endOf(id), work: sent === null ? undefined : { ...work, ...sent } },
    { fence },
  );
  await passed();
  return id;
}

async function take(text: string, causeJobId?: string): Promise<void> {
  const { id, fence } = await claimed({ device: "SW1", host: "h-take" });
  const version: NewConfigVersion = {
    ...{
      part: "running",
      state: "good",
      reason: null,
      compare: text,
      lines: 1,
      bytes: 1,
      added: 1,
      removed: 0,
    },
    text: { body: Buffer.from(text) },
  };
  const device = { name: "SW1", host: "10.0.0.1", group: null, platform: null };
  const taken = {
    device,
    source: causeJobId ? "push" : "schedule",
    causeJobId,
    versions: [version],
  } as const;
  await store.settlements.end({ ...endOf(id), taken }, { fence });
  await passed();
}

const outside = async () => (await piece("versions:0")).outside.map(({ version }) => version);

test("a push without an entry is named; one that sent nothing needs none", async () => {
  await push();
  const hidden = await push({}, null);
  const unsent = await claimed({ operation: "config" });
  await store.settlements.end(endOf(unsent.id, "failed"), { fence: unsent.fence });
  expect(await piece("pushes:0")).toMatchObject({ complete: false, missing: [hidden], next: "versions:0" });
});

test("a version is explained by a push since the one before, by name, former name or address", async () => {
  await take("first");
  expect(await outside()).toEqual([]);
  await take("by hand");
  expect(await outside()).toEqual([2]);
  await push();
  await take("by a push");
  await push({ device: null });
  await take("by a push to its address");
  await push({ dryRun: true });
  await take("by hand, beside a dry run");
  expect(await outside()).toEqual([2, 5]);
  await push();
  await store.history.rename(
    "sw1",
    { name: "core1", host: "10.0.0.1", group: null, platform: null },
    {
      ...{ keyId: "k1", name: "admin", from: null },
    },
  );
  expect(await outside()).toEqual([2, 5]);
});

test("a version that was read after a push is explained by it, whatever its device was called", async () => {
  await take("first");
  const id = await push({ device: "other", host: "10.9.9.9" });
  await take("second", id);
  await take("third", "no such job");
  expect(await outside()).toEqual([3]);
});

test("lines that were changed after they were sent are named", async () => {
  const { id, fence } = await claimed({ operation: "config" });
  await store.claims.recordIntent(fence, ["a"], 0);
  const transcript = { content: '{"lines":["b"],"dialogue":null}', sha256: work.sha256 };
  await store.settlements.end({ ...endOf(id), transcript, work }, { fence });
  expect((await piece("entries:0")).breaks).toMatchObject([{ fault: "transcript", seq: 2 }]);
});

test("a long ledger is verified in pieces that follow each other", async () => {
  for (let at = 0; at < 30; at++) await added(store, `c${at}`);
  const first = await piece("entries:0");
  expect(first).toMatchObject({ intact: true, entries: 31, next: "pushes:0" });
  const rest = await piece("entries:12");
  expect(rest).toMatchObject({ intact: true, entries: 19, last: first.last });
  expect(pieceOf(undefined)).toEqual({ phase: "entries", after: 0 });
  expect(() => pieceOf("entries:-1")).toThrow("not given by this service");
  expect(ledgerLimits.verified).toBeGreaterThan(1_000);
});

test("each checkpoint is compared, however many there are for few entries", async () => {
  for (let at = 0; at <= ledgerLimits.checkpoints; at++) {
    await added(store, `c${at}`);
    await signNewest(store, []);
  }
  let compared = 0;
  let entries = 0;
  for (let next: string | null = "entries:0"; next?.startsWith("entries"); ) {
    const verdict = await piece(next);
    expect(verdict).toMatchObject({ intact: true });
    compared += verdict.checkpoints;
    entries += verdict.entries;
    next = verdict.next;
  }
  expect({ compared, entries }).toEqual({
    compared: ledgerLimits.checkpoints + 1,
    entries: await store.ledger.total(),
  });
}, 60_000);

/** Entries, with a checkpoint of the one before the last three. */
async function many(count: number): Promise<number> {
  const all = Array.from({ length: count - 4 }, (_, at) => added(store, `c${at}`));
  await Promise.all(all);
  await signNewest(store, []);
  const upTo = await store.ledger.total();
  for (const ref of ["x", "y", "z"]) await added(store, ref);
  return upTo;
}

async function wholeVerdict(verified = ledgerOf(store)) {
  const breaks: LedgerBreak[] = [];
  let entries = 0;
  for (let next: string | null = "entries:0"; next?.startsWith("entries"); ) {
    const verdict = await verified.verify({ text: "", value: { next } }, admin, signal);
    breaks.push(...verdict.breaks);
    entries += verdict.entries;
    next = verdict.next;
  }
  return { breaks, entries };
}

test("while retention deletes, what it has not come to yet is no gap", async () => {
  const upTo = await many(1_250);
  expect(await store.ledger.cut(upTo, "old")).toBe(500);
  expect(await wholeVerdict()).toEqual({ breaks: [], entries: 4 });
  const result = await checkExport(linesOf(await exported(store)), { checkpoints: [] });
  expect(result).toMatchObject({ breaks: [], entries: 4 });
  // Nor if the checkpoint that the cut names is not of this installation.
  const forged = { ...store, ledger: { ...store.ledger, checkpoints: async () => [] } };
  expect((await wholeVerdict(ledgerOf(forged))).breaks).toMatchObject([{ fault: "missing" }]);
}, 60_000);

test("what retention deletes between two pages is no gap either; an export says to begin again", async () => {
  const upTo = await many(1_250);
  let reads = 0;
  const after: typeof store.ledger.after = async (...args) => {
    if (args[1] === 500 && ++reads === 2) while ((await store.ledger.cut(upTo, "old")) > 0);
    return store.ledger.after(...args);
  };
  const cutting = { ...store, ledger: { ...store.ledger, after } };
  expect(await wholeVerdict(ledgerOf(cutting))).toEqual({ breaks: [], entries: 504 });
  reads = 0;
  const newer = await many(1_250);
  const again: typeof store.ledger.after = async (...args) => {
    if (args[1] === 500 && ++reads === 2) while ((await store.ledger.cut(newer, "old")) > 0);
    return store.ledger.after(...args);
  };
  const lines = exported({ ...store, ledger: { ...store.ledger, after: again } });
  await expect(lines).rejects.toThrow("export again");
}, 60_000);

test("entries that are gone without the end of their retention are missing", async () => {
  await many(30);
  const after: typeof store.ledger.after = async (...args) =>
    (await store.ledger.after(...args)).filter(({ seq }) => seq !== 5);
  const holed = { ...store, ledger: { ...store.ledger, after } };
  expect((await wholeVerdict(ledgerOf(holed))).breaks).toMatchObject([{ fault: "missing", seq: 5 }]);
});

test("only one verification runs at a time", async () => {
  const ledger = ledgerOf(store);
  const body = { text: "{}", value: {} };
  const [one, two] = await Promise.allSettled([
    ledger.verify(body, admin, signal),
    ledger.verify(body, admin, signal),
  ]);
  expect([one?.status, two]).toEqual([
    "fulfilled",
    { status: "rejected", reason: expect.objectContaining({ kind: "TooManyRequests" }) },
  ]);
});
