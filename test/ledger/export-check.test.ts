/** An export is checked with the public key alone; what is no export, or not whole, is refused. */
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkExport, readCheckpoints } from "../../src/ledger/export-check.ts";
import { signingKeyOf, signNewest } from "../../src/ledger/signing.ts";
import { closeStore, makePlace, openStore, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { added, exported, linesOf } from "./support.ts";

let place: TestPlace;
let store: AnyStore;
let lines: string[];
let publicKey: string;

beforeAll(async () => {
  place = await makePlace("file");
  store = await openStore(place);
  for (let at = 0; at < 1_200; at++) {
    await added(store, `c${at}`);
    if (at % 100 === 50) await signNewest(store, []);
  }
  lines = await exported(store);
  publicKey = (await signingKeyOf(store)).publicKey;
}, 60_000);
afterAll(async () => {
  await closeStore(store);
  await place.remove();
});

test("a long one is whole, and it is known up to where it is signed", async () => {
  const result = await checkExport(linesOf(lines), { publicKey, checkpoints: [] });
  expect(result).toMatchObject({
    breaks: [],
    entries: 1_201,
    checkpoints: 12,
    covered: 1_152,
    isOwnKey: false,
  });
  expect((await checkExport(linesOf(lines), { checkpoints: [] })).isOwnKey).toBe(true);
});

test("the order of members in a line does not matter, their values do", async () => {
  const turned = lines.map((line) => {
    const value = JSON.parse(line);
    if (value.entry === undefined) return line;
    return JSON.stringify({ ...value, entry: Object.fromEntries(Object.entries(value.entry).toReversed()) });
  });
  expect((await checkExport(linesOf(turned), { publicKey, checkpoints: [] })).breaks).toEqual([]);
});

test("with another key than that of the installation no checkpoint counts", async () => {
  const other = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
  const { breaks, covered } = await checkExport(linesOf(lines), { publicKey: other, checkpoints: [] });
  expect([new Set(breaks.map(({ fault }) => fault)), covered]).toEqual([new Set(["checkpoint"]), 0]);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey;
  const wrong = [rsa.export({ type: "spki", format: "pem" }).toString(), "no key"];
  for (const key of wrong)
    await expect(checkExport(linesOf(lines), { publicKey: key, checkpoints: [] })).rejects.toThrow("Ed25519");
});

test.each([
  ["no export", ["{}"]],
  ["no JSON", ["x"]],
  ["nothing", []],
])("%s is refused", async (_, given) => {
  await expect(checkExport(linesOf(given), { checkpoints: [] })).rejects.toThrow("This is no export");
});

test("one that is cut, or has other lines, is refused", async () => {
  const refused = (given: string[]) => expect(checkExport(linesOf(given), { checkpoints: [] })).rejects;
  await refused(lines.slice(0, -1)).toThrow("not whole");
  await refused([...lines.slice(0, 20), "{}", ...lines.slice(20)]).toThrow("Line 21");
  expect(() => readCheckpoints("{}")).toThrow("Line 1");
});
