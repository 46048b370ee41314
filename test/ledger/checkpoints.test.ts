/** Checkpoints are signed as time goes by, sent until they arrive, and are what remains of entries that are deleted. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { type CheckpointOptions, createCheckpoints } from "../../src/ledger/checkpoints.ts";
import { checkExport } from "../../src/ledger/export-check.ts";
import type { Place } from "../../src/ledger/places.ts";
import { closeStore, makePlace, openStore, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { added, admin, exported, ledgerOf, linesOf } from "./support.ts";

let place: TestPlace;
let store: AnyStore;
/** Added to the clock. */
let aheadMs = 0;

beforeEach(async () => {
  aheadMs = 0;
  place = await makePlace("file");
  store = await openStore(place, {
    clock: { wall: () => Date.now() + aheadMs, monotonic: () => performance.now() + aheadMs },
  });
});
afterEach(async () => {
  await closeStore(store);
  await place.remove();
});

const hourMs = 3_600_000;

/** Runs until nothing is to be done. */
async function worked(places: Readonly<Record<string, Place>>, more: Partial<CheckpointOptions> = {}) {
  let signed = 0;
  const checkpoints = createCheckpoints({
    ...{ store, log: silentLog, everyMs: hourMs, keptMs: undefined, isReady: () => true },
    places: new Map(Object.entries(places)),
    onSigned: () => void signed++,
    ...more,
  });
  checkpoints.start();
  await checkpoints.work();
  await checkpoints.stop();
  return signed;
}

test("one is signed if it is time and there are new entries, and sent to each place", async () => {
  const sent: string[] = [];
  const places = {
    file: async ({ checkpoint }) => void sent.push(`file ${checkpoint.seq}`),
    syslog: async ({ checkpoint }) => void sent.push(`syslog ${checkpoint.seq}`),
  } satisfies Record<string, Place>;
  expect(await worked(places)).toBe(1);
  await added(store, "a");
  expect(await worked(places)).toBe(0);
  aheadMs = hourMs + 1;
  expect(await worked(places)).toBe(1);
  aheadMs = 3 * hourMs;
  expect(await worked(places)).toBe(0);
  expect(sent).toEqual(["file 1", "syslog 1", "file 2", "syslog 2"]);
});

test("a place that was away gets what it missed, in order, and others nothing twice", async () => {
  const sent: string[] = [];
  let isAway = true;
  const places = {
    file: async ({ checkpoint }) => void sent.push(`file ${checkpoint.seq}`),
    syslog: async ({ checkpoint }) => {
      if (isAway) throw new Error("no answer");
      sent.push(`syslog ${checkpoint.seq}`);
    },
  } satisfies Record<string, Place>;
  await worked(places);
  await added(store, "a");
  aheadMs = 2 * hourMs;
  await worked(places);
  const { state } = createCheckpoints({
    ...{ store, log: silentLog, everyMs: hourMs, keptMs: undefined, isReady: () => true },
    ...{ places: new Map(), onSigned() {} },
  });
  expect(await state()).toEqual({ entries: 2, uncoveredSeconds: 0, pending: 2 });
  isAway = false;
  await worked(places);
  expect(sent.toSorted()).toEqual(["file 1", "file 2", "syslog 1", "syslog 2"]);
  expect(sent.filter((line) => line.startsWith("syslog"))).toEqual(["syslog 1", "syslog 2"]);
  await added(store, "b");
  aheadMs += 90_000;
  expect(await state()).toMatchObject({ entries: 3, pending: 0 });
  expect((await state()).uncoveredSeconds).toBeGreaterThanOrEqual(89);
});

test("what retention deletes leaves a checkpoint, from which the rest still verifies", async () => {
  await added(store, "a");
  await added(store, "b");
  await worked({});
  const dayMs = 24 * hourMs;
  aheadMs = 10 * dayMs;
  await added(store, "c");
  await worked({}, { keptMs: 20 * dayMs });
  expect(await store.ledger.after(0, 9)).toHaveLength(4);
  await worked({}, { keptMs: 5 * dayMs });
  const left = await store.ledger.after(0, 9);
  expect(left.map(({ seq, kind }) => [seq, kind])).toEqual([
    [4, "credential.set"],
    [5, "ledger.cut"],
  ]);
  expect(await verdict()).toMatchObject({ intact: true, entries: 2, breaks: [] });
  const result = await checkExport(linesOf(await exported(store)), { checkpoints: [] });
  expect(result).toMatchObject({ breaks: [], entries: 2 });
  // Without its base the first entries are missing.
  const [head = "", ...rest] = await exported(store);
  const baseless = JSON.stringify({ ...JSON.parse(head), base: null });
  expect((await checkExport(linesOf([baseless, ...rest]), { checkpoints: [] })).breaks).toMatchObject([
    { fault: "missing", seq: 1 },
  ]);
});

test("where nothing has happened for long, what is left verifies as well", async () => {
  await added(store, "a");
  await worked({});
  aheadMs = 240 * hourMs;
  await worked({}, { keptMs: 24 * hourMs });
  expect((await store.ledger.after(0, 9)).map(({ seq, kind }) => [seq, kind])).toEqual([[3, "ledger.cut"]]);
  expect(await verdict()).toMatchObject({ intact: true, entries: 1, breaks: [] });
});

test("entries are not deleted without an entry that says so, whatever is killed", async () => {
  await added(store, "a");
  await worked({});
  aheadMs = 240 * hourMs;
  await added(store, "b");
  const cut: typeof store.ledger.cut = async (...args) => {
    await store.ledger.cut(...args);
    throw new Error("killed");
  };
  const killed = { ...store, ledger: { ...store.ledger, cut } };
  await worked({}, { store: killed, keptMs: 24 * hourMs });
  const left = [
    [3, "credential.set"],
    [4, "ledger.cut"],
  ];
  const kinds = async () => (await store.ledger.after(0, 9)).map(({ seq, kind }) => [seq, kind]);
  expect(await kinds()).toEqual(left);
  await worked({}, { keptMs: 24 * hourMs });
  expect(await kinds()).toEqual(left);
});

test("old checkpoints are thinned out to one a day; those to be sent and the base stay, and all verifies", async () => {
  const sixHours = { everyMs: 6 * hourMs, kept: 3 };
  const away = async () => {
    throw new Error("no answer");
  };
  const seqs = async () => (await store.ledger.checkpoints(0, 99)).map(({ seq }) => seq);
  // At midnight, so that four are of one day.
  aheadMs = 24 * hourMs - (Date.now() % (24 * hourMs));
  for (let at = 0; at < 12; at++) {
    await added(store, `c${at}`);
    await worked(at === 1 ? { file: away } : {}, { ...sixHours, kept: 99 });
    aheadMs += 6 * hourMs;
  }
  expect(await seqs()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  // Not one that a place has yet to take: nobody asked for it since.
  await store.ledger.setPending((await store.ledger.checkpoints(3, 1))[0]?.n ?? 0, "file");
  await worked({ file: away }, sixHours);
  expect(await seqs()).toEqual([3, 5, 9, 11, 12, 13]);
  expect(await verdict()).toMatchObject({ intact: true, entries: 13, breaks: [], checkpoints: 6 });
  await worked({}, { ...sixHours, keptMs: aheadMs + Date.now() - (await at(9)) - 1 });
  expect((await store.ledger.after(0, 1))[0]?.seq).toBe(10);
  await worked({}, { ...sixHours, kept: 2 });
  expect((await seqs()).slice(0, 1)).toEqual([9]);
  expect(await verdict()).toMatchObject({ intact: true, breaks: [] });
});

const at = async (seq: number) => (await store.ledger.checkpoints(seq, 1))[0]?.at ?? 0;
const verdict = () => ledgerOf(store).verify({ text: "{}", value: {} }, admin, new AbortController().signal);
