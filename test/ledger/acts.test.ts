/** Pushes of changes that nobody started or approved are named, in an export as well; earlier exports stay valid. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { changeWords, ledgerRecord } from "../../src/api/ledger/ledger.ts";
import { chainStart, hashLink } from "../../src/base/hash-chain.ts";
import { canonicalJson } from "../../src/base/json/canonical.ts";
import { checkExport } from "../../src/ledger/export-check.ts";
import { linesOf } from "./support.ts";

type Entry = Readonly<Record<string, string | number | boolean | Record<string, string>>>;
const hash = "cd".repeat(32);
const of = { change: "c1", revision: 2, revision_hash: hash };
const vote = (name: string, verdict = "approve", more: Entry = {}) => ({
  ...{ ...of, kind: "change.vote", verdict, actor: { kind: "person", name } },
  ...more,
});
const start = { ...of, kind: "change.start", needed: 2 };
const push = { ...of, kind: "push" };

function exportOf(entries: readonly Entry[]): string[] {
  const head = readFileSync(new URL("export-earlier.jsonl", import.meta.url), "utf8").split("\n")[0] ?? "";
  let prev: string = chainStart;
  const lines = entries.map((entry, at) => {
    const members = {
      ...{
        v: 1,
        seq: at + 1,
        at: "2026-01-01T00:00:00.000Z",
        ref: `r${at}`,
        actor: { kind: "key", name: "ops" },
      },
      ...entry,
    };
    const body = canonicalJson(members);
    const line = JSON.stringify({ entry: members, prev, hash: hashLink(prev, body), mac: prev });
    prev = hashLink(prev, body);
    return line;
  });
  return [head, ...lines, JSON.stringify({ end: { seq: entries.length, hash: prev } })];
}

async function objections(...entries: readonly Entry[]): Promise<string[]> {
  const { breaks, unapproved } = await checkExport(linesOf(exportOf(entries)), { checkpoints: [] });
  expect(breaks).toEqual([]);
  return unapproved.map(({ seq, message }) => `${seq}: ${message}`);
}

test("a push of a change has its start and the votes that it needed before it, for the same plan", async () => {
  expect(await objections(vote("p1"), vote("p2"), start, push, push)).toEqual([]);
  const unstarted = "its change was not started before it";
  expect(await objections(push, vote("p1"), vote("p2"), start)).toEqual([`1: ${unstarted}`]);
  expect(await objections(vote("p1"), vote("p2"), { ...start, revision_hash: "ab" }, push)).toEqual([
    `4: ${unstarted}`,
  ]);
  expect(await objections({ ...start, change: "c2" }, push)).toEqual([`2: ${unstarted}`]);
  const few = (given: number) => `its change needed 2 approvals of this plan and had ${given}`;
  expect(await objections(vote("p1"), vote("p1"), start, push)).toEqual([`4: ${few(1)}`]);
  expect(await objections(vote("p1"), vote("p2", "reject"), start, push)).toEqual([`4: ${few(1)}`]);
  expect(await objections(vote("p1"), vote("p2"), vote("p2", "reject"), start, push)).toEqual([
    `5: ${few(1)}`,
  ]);
  expect(await objections(vote("p1", "approve", { revision_hash: "ab" }), vote("p2"), start, push)).toEqual([
    `4: ${few(1)}`,
  ]);
  expect(await objections(start, vote("p1"), vote("p2"), push)).toEqual([`4: ${few(0)}`]);
  expect(await objections({ ...of, kind: "change.start" }, push)).toEqual([]);
});

test("a push that returns a device follows the word to return", async () => {
  const back = { ...push, returns: true };
  expect(await objections({ ...start, needed: 0 }, push, back)).toEqual([
    "3: no return of its change was begun before it",
  ]);
  expect(await objections({ ...start, needed: 0 }, push, { ...of, kind: "change.return" }, back)).toEqual([]);
});

test("an export that an earlier version made is as valid as it was", async () => {
  const lines = readFileSync(new URL("export-earlier.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  expect(await checkExport(linesOf(lines), { checkpoints: [] })).toMatchObject({
    ...{ breaks: [], unapproved: [], entries: 4, checkpoints: 2, covered: 4 },
  });
  const [line = ""] = lines.filter((one) => one.includes('"push"') && one.includes('"entry"'));
  expect(v.parse(ledgerRecord, JSON.parse(line)).entry.actor.name).toBe("anna");
});

test("what an entry of a change says is said in plain words", () => {
  const words = (entry: Entry) => {
    const [, line = ""] = exportOf([entry]);
    return changeWords(v.parse(ledgerRecord, JSON.parse(line)));
  };
  expect([vote("p1"), start, push, { ...push, returns: true }, { kind: "key.add" }].map(words)).toEqual([
    "approved revision 2 of change c1",
    "started revision 2 of change c1, which needed 2 approvals",
    "revision 2 of change c1",
    "return of change c1",
    undefined,
  ]);
});
