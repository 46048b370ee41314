/** What was done to a ledger is named, with the keys of the installation and without them. */
import { generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SignedCheckpoint } from "../../src/api/ledger/ledger.ts";
import { chainStart, hashLink } from "../../src/base/hash-chain.ts";
import { canonicalJson } from "../../src/base/json/canonical.ts";
import { type CheckedEntry, createCheck, signedText } from "../../src/ledger/check.ts";
import { operator } from "../store/contract/fixture.ts";
import { closeStore, makePlace, openStore } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";

const pair = generateKeyPairSync("ed25519");

/** A ledger of `count` entries in a real file, which `tamper` then edits as somebody with the file would. */
async function tampered(count: number, tamper: (sql: (text: string) => Promise<void>) => Promise<void>) {
  const place = await makePlace("file");
  let store = await openStore(place);
  for (let at = 1; at < count; at++)
    await store.credentials.set({ source: "file", ref: `c${at}`, fields: { x: "y" } }, operator);
  const checkpoints = [await checkpointAt(store, Math.ceil(count / 2)), await checkpointAt(store, count)];
  await closeStore(store);
  const { openFile } = await import("../../src/store/libsql/database/file/file.ts");
  const file = openFile(`${place.directory}/patchbay.db`);
  await file.script("drop trigger ledger_follows; drop trigger ledger_stays");
  await tamper((text) => file.script(text));
  file.close();
  store = await openStore(place);
  const entries = await entriesOf(store);
  const macKeys = await store.ledger.macKeys();
  await closeStore(store);
  await place.remove();
  return { entries, macKeys, checkpoints };
}

async function entriesOf(store: AnyStore): Promise<CheckedEntry[]> {
  return (await store.ledger.after(0, 500)).map(({ at, kind, ref, ...entry }) => ({
    ...entry,
    columns: { at: new Date(at).toISOString(), kind, ref },
  }));
}

async function checkpointAt(store: AnyStore, seq: number): Promise<SignedCheckpoint> {
  const [entry] = await store.ledger.after(seq - 1, 1);
  if (entry === undefined) throw new Error("no such entry");
  const { hash, mac } = entry;
  const checkpoint = {
    ...{ v: 1 as const, installation: "i", at: new Date(entry.at).toISOString(), seq, hash, mac },
    counts: await store.ledger.counts(0, seq),
  };
  return { checkpoint, signature: sign(null, signedText(checkpoint), pair.privateKey).toString("base64") };
}

type Tampered = Awaited<ReturnType<typeof tampered>>;

/** On the machine: with the keys of macs, and no checkpoint from outside. */
function onMachine({ entries, macKeys }: Tampered) {
  return namesOf(entries, createCheck({ macKeys, checkpoints: [] }));
}

/** Elsewhere: an export, the public key and checkpoints. */
function elsewhere({ entries, checkpoints }: Pick<Tampered, "entries" | "checkpoints">) {
  const exported = entries.map(({ keyId: _, columns: __, ...entry }) => entry);
  return namesOf(exported, createCheck({ publicKey: pair.publicKey, checkpoints }));
}

function namesOf(entries: readonly CheckedEntry[], check: ReturnType<typeof createCheck>): string[] {
  for (const entry of entries) check.entry(entry);
  return check.end(true).breaks.map(({ fault, seq }) => `${fault} ${seq}`);
}

test("nothing is found in one that nobody touched", async () => {
  const ledger = await tampered(8, async () => {});
  expect(onMachine(ledger)).toEqual([]);
  expect(elsewhere(ledger)).toEqual([]);
});

test("a changed row", async () => {
  const ledger = await tampered(8, (sql) =>
    sql("update ledger set body = replace(body, 'c2', 'c9') where seq = 3"),
  );
  expect(onMachine(ledger)).toEqual(["changed 3"]);
  expect(elsewhere(ledger)).toEqual(["changed 3"]);
});

test("a changed column beside the text", async () => {
  const ledger = await tampered(8, (sql) => sql("update ledger set kind = 'push' where seq = 3"));
  expect(onMachine(ledger)).toEqual(["changed 3"]);
});

test("a cut tail shows by a checkpoint from outside", async () => {
  const ledger = await tampered(8, (sql) => sql("delete from ledger where seq > 6"));
  expect(onMachine(ledger)).toEqual([]);
  expect(elsewhere(ledger)).toEqual(["cut 7"]);
});

test("swapped rows", async () => {
  const ledger = await tampered(8, (sql) =>
    sql(
      "update ledger set seq = -1 where seq = 3; update ledger set seq = 3 where seq = 6; update ledger set seq = 6 where seq = -1",
    ),
  );
  expect(onMachine(ledger)).toEqual(["order 3", "order 6"]);
  expect(elsewhere(ledger)).toEqual(["order 3", "order 6"]);
});

test("a dropped entry", async () => {
  const ledger = await tampered(8, (sql) => sql("delete from ledger where seq = 4"));
  expect(onMachine(ledger)).toEqual(["missing 4"]);
  expect(elsewhere(ledger)).toContain("missing 4");
});

test("an inserted row, with the later ones moved up", async () => {
  const ledger = await tampered(8, async (sql) => {
    await sql("update ledger set seq = -seq where seq > 4; update ledger set seq = 1 - seq where seq < 0");
    const body = canonicalJson({ v: 1, seq: 5, at: "2020-01-01T00:00:00.000Z", kind: "push", ref: "x" });
    await sql(`insert into ledger select 5, 1577836800000, 'push', 'x', '${body}', hash, '${"0".repeat(64)}', mac, key_id
from ledger where seq = 4`);
  });
  expect(onMachine(ledger)).toContain("changed 5");
  expect(elsewhere(ledger)).toContain("changed 5");
});

test("a row that was inserted with a hash that fits, and no key for its mac", async () => {
  const ledger = await tampered(8, async () => {});
  const forged = insertAfter(ledger.entries, 4);
  expect(onMachine({ ...ledger, entries: forged })).toEqual(["forged 5", "inserted 5"]);
  expect(elsewhere({ ...ledger, entries: forged })[0]).toBe("inserted 5");
});

function insertAfter(entries: readonly CheckedEntry[], at: number): CheckedEntry[] {
  const before = entries[at - 1];
  if (before === undefined) throw new Error("no such entry");
  const body = canonicalJson({ v: 1, seq: at + 1, at: "2020-01-01T00:00:00.000Z", kind: "push", ref: "x" });
  const { columns: _, ...link } = before;
  const added = { ...link, body, seq: at + 1, prev: before.hash, hash: hashLink(before.hash, body) };
  return [
    ...entries.slice(0, at),
    added,
    ...entries.slice(at).map((entry) => ({ ...entry, seq: entry.seq + 1 })),
  ];
}

test("a chain that was written anew: by its macs on the machine, by checkpoints elsewhere", async () => {
  const ledger = await tampered(8, async () => {});
  let prev = chainStart;
  const entries = ledger.entries.map((entry) => {
    const body = entry.body.replace("file:c1", "file:c7");
    const hash = hashLink(prev, body);
    const anew = { ...entry, body, prev, hash };
    prev = hash;
    return anew;
  });
  expect(onMachine({ ...ledger, entries })[0]).toBe("forged 2");
  expect(elsewhere({ ...ledger, entries })).toEqual(["rewritten 4", "rewritten 8"]);
});

test("a forged checkpoint, and one that says other numbers", async () => {
  const ledger = await tampered(6, async () => {});
  const [first, second] = ledger.checkpoints;
  if (first === undefined || second === undefined) throw new Error("no checkpoint");
  const seq = { ...second, checkpoint: { ...second.checkpoint, seq: 5 } };
  expect(elsewhere({ ...ledger, checkpoints: [first, seq] })).toEqual(["checkpoint 5"]);
  const checkpoint = { ...second.checkpoint, counts: { "credential.set": 4 } };
  const signature = sign(null, signedText(checkpoint), pair.privateKey).toString("base64");
  expect(elsewhere({ ...ledger, checkpoints: [first, { checkpoint, signature }] })).toEqual(["counts 6"]);
});

test("entries that a restore has lost are named, and are no fault", () => {
  const entry = (seq: number, prev: string, kind: string, at: string): CheckedEntry => {
    const body = canonicalJson({ v: 1, seq, at, kind, ref: String(seq) });
    return { seq, prev, hash: hashLink(prev, body), mac: chainStart, body };
  };
  const first = entry(1, chainStart, "ledger.begin", "2026-01-01T00:00:00.000Z");
  const copied = entry(2, first.hash, "store.copied", "2026-01-03T00:00:00.000Z");
  const checkpoint = {
    ...{ v: 1 as const, installation: "i", seq: 5, hash: "ab".repeat(32), mac: chainStart, counts: {} },
    at: "2026-01-02T00:00:00.000Z",
  };
  const signature = sign(null, signedText(checkpoint), pair.privateKey).toString("base64");
  const check = createCheck({ publicKey: pair.publicKey, checkpoints: [{ checkpoint, signature }] });
  check.entry(first);
  check.entry(copied);
  expect(check.end(true)).toMatchObject({
    breaks: [],
    lost: [{ seq: 2, up_to: 5, at: "2026-01-03T00:00:00.000Z" }],
  });
});

test("whatever single thing is changed in a chain, it does not pass", () => {
  const chain = (count: number) => {
    const entries: CheckedEntry[] = [];
    let prev = chainStart;
    for (let seq = 1; seq <= count; seq++) {
      const body = canonicalJson({ v: 1, seq, at: "2026-01-01T00:00:00.000Z", kind: "push", ref: `j${seq}` });
      const hash = hashLink(prev, body);
      entries.push({ seq, prev, hash, mac: chainStart, body });
      prev = hash;
    }
    return entries;
  };
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 12 }), fc.nat(), fc.nat(4), (count, place, how) => {
      const entries = chain(count);
      const at = place % (count - 1);
      const entry = entries[at];
      const next = entries[at + 1];
      if (entry === undefined || next === undefined) throw new Error("no such entry");
      if (how === 0) entries[at] = { ...entry, body: entry.body.replace("push", "task") };
      if (how === 1) entries[at] = { ...entry, hash: next.hash };
      if (how === 2) entries.splice(at, 1);
      if (how === 3) entries.splice(at, 2, { ...next, seq: entry.seq }, { ...entry, seq: next.seq });
      if (how === 4) entries.splice(at, 0, entry);
      const check = createCheck({ checkpoints: [] });
      for (const one of entries) check.entry(one);
      expect(check.end(true).breaks.length).toBeGreaterThan(0);
    }),
  );
});
