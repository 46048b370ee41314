import { expect, test } from "vitest";
import { sampleOf, seedOfToday } from "./sampled.ts";

/** Places of kinds with 1, 2, 4, … members, in between each other. */
const placesOf = (kinds: number) =>
  Array.from({ length: 2 ** (kinds - 1) }, (_, at) =>
    Array.from({ length: kinds }, (_, kind) => ({ kind: `k${kind}`, at })).filter(
      (_place, kind) => at < 2 ** kind,
    ),
  ).flat();
const kindOf = ({ kind }: { readonly kind: string }) => kind;
const cases = [1, 2, 3, 5, 7].flatMap((kinds) => [0, 1, 5, 8, 21, 60, 500].map((most) => ({ kinds, most })));

test.each(cases)("of $kinds kinds, $most places have one of each kind, with any seed", ({ kinds, most }) => {
  const all = placesOf(kinds);
  for (let seed = 0; seed < 70; seed++) {
    const some = sampleOf(all, most, kindOf, seed);
    expect(new Set(some.map(kindOf))).toEqual(new Set(all.map(kindOf)));
    expect(some.length).toBeLessThanOrEqual(Math.max(most, kinds));
    // In their order, and none twice.
    expect(some).toEqual(all.filter((one) => some.includes(one)));
    expect(new Set(some).size).toBe(some.length);
    if (most >= all.length) expect(some).toEqual(all);
  }
});

test.each(cases)("of $kinds kinds, $most places at a time come round to all places", ({ kinds, most }) => {
  const all = placesOf(kinds);
  const rounds = 2 ** (kinds - 1);
  const seen = new Set(
    Array.from({ length: rounds }, (_, at) => sampleOf(all, most, kindOf, 20_000 + at)).flat(),
  );
  expect(seen.size).toBe(all.length);
});

test("a seed chooses the same places each time, and the seed of a day is another the next day", () => {
  const all = placesOf(6);
  expect(sampleOf(all, 12, kindOf, 4)).toEqual(sampleOf(all, 12, kindOf, 4));
  expect(sampleOf(all, 12, kindOf, 4)).not.toEqual(sampleOf(all, 12, kindOf, 5));
  const noon = Date.UTC(2030, 4, 1, 12);
  expect(seedOfToday(noon + 86_400_000)).toBe(seedOfToday(noon) + 1);
  expect(seedOfToday(noon + 3_600_000)).toBe(seedOfToday(noon));
});

test("nothing is chosen from nothing", () => {
  expect(sampleOf([], 5, String, 3)).toEqual([]);
});
