/** Waves: each device once, in sizes that are never more than what was asked for. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { countOf, type Placed, wavesOf } from "../../src/changes/planning/waves.ts";

const devices = (count: number, more: (at: number) => Partial<Placed> = () => ({})): Placed[] =>
  Array.from({ length: count }, (_, at) => ({
    device: `r${at + 1}`,
    spread: null,
    apart: null,
    ...more(at),
  }));
const sizesOf = (divided: ReturnType<typeof wavesOf>) =>
  "waves" in divided ? divided.waves.map(({ length }) => length) : divided.issue.message;

test.each<[string, Parameters<typeof wavesOf>[1], number[]]>([
  ["a canary, a quarter, the rest", {}, [1, 3, 6]],
  ["numbers and shares of all devices", { canary: 1, waves: ["2", "50%"] }, [1, 2, 5, 2]],
  ["no canary", { canary: 0, waves: [4] }, [4, 6]],
  ["a canary of all", { canary: 100 }, [10]],
  ["a share below one is one", { canary: 0, waves: ["1%", "100%"] }, [1, 9]],
])("%s", (_title, strategy, sizes) => {
  expect(sizesOf(wavesOf(devices(10), strategy, 50))).toEqual(sizes);
});

test("a percentage is rounded up, and a number is itself", () => {
  expect([countOf("10%", 15), countOf("100%", 3), countOf("0%", 3), countOf("7", 3), countOf(2, 3)]).toEqual([
    2, 3, 0, 7, 2,
  ]);
});

test("the canary may be named, and a name that the change does not have is told", () => {
  const named = wavesOf(devices(4), { canary: ["R3"], waves: ["100%"] }, 50);
  expect(named).toEqual({ waves: [["r3"], ["r1", "r2", "r4"]] });
  expect(wavesOf(devices(2), { canary: ["r9"] }, 50)).toMatchObject({ issue: { path: "strategy.canary" } });
});

test("devices are spread over sites, and pairs are kept apart", () => {
  const bySite = devices(6, (at) => ({ spread: at < 3 ? "a" : "b" }));
  expect(wavesOf(bySite, { canary: 2, waves: ["100%"], spread: "site" }, 50)).toMatchObject({
    waves: [["r1", "r4"], { length: 4 }],
  });
  const pairs = devices(4, (at) => ({ apart: at < 2 ? "p1" : "p2" }));
  expect(wavesOf(pairs, { canary: 0, waves: ["100%"], apart: "vars.pair" }, 50)).toEqual({
    waves: [
      ["r1", "r3"],
      ["r2", "r4"],
    ],
  });
  const same = devices(10, () => ({ apart: "one" }));
  expect(wavesOf(same, { canary: 0, apart: "vars.pair" }, 5)).toMatchObject({
    issue: { path: "strategy.apart" },
  });
});

test("whatever is asked for, each device is in one wave, and no wave has two that are kept apart", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom("10%", "50%", "100%", "3"));
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          spread: fc.option(fc.constantFrom("a", "b")),
          apart: fc.option(fc.constantFrom("x", "y", "z")),
        }),
        { maxLength: 30 },
      ),
      fc.record({
        canary: fc.integer({ min: 0, max: 5 }),
        waves: fc.array(size, { minLength: 1, maxLength: 5 }),
        spread: fc.constantFrom(null, "site" as const),
        apart: fc.constantFrom(null, "vars.pair"),
      }),
      (values, strategy) => {
        const all = values.map((value, at) => ({ device: `r${at}`, ...value }));
        const divided = wavesOf(all, strategy, 100);
        if (!("waves" in divided)) throw new Error(divided.issue.message);
        expect(divided.waves.flat().sort()).toEqual(all.map(({ device }) => device).sort());
        if (strategy.apart === null) return;
        const byName = new Map(all.map((one) => [one.device, one.apart]));
        for (const wave of divided.waves) {
          const values = wave.flatMap((name) => byName.get(name) ?? []);
          expect(new Set(values).size).toBe(values.length);
        }
      },
    ),
  );
});
