/** The speed table: rows are complete, ratios show the direction of a change, profiles become tables. */
import { expect, test } from "vitest";
import { compare } from "../../scripts/bench/rows/moved.ts";
import { overFloor, reached, type SpeedResult, type SpeedRow } from "../../scripts/bench/rows/row.ts";
import { chosenRows, rowNames } from "../../scripts/bench/rows/runner.ts";
import { type Piece, tables } from "../../scripts/profile/report.ts";

const result = (
  name: string,
  value: number,
  floor: number,
  better: "less" | "more" = "less",
): SpeedResult => ({
  name,
  title: name,
  unit: "ms",
  better,
  goal: 10,
  seconds: 1,
  figure: { value, floor: { name: "bare", value: floor } },
});
const run = (...rows: SpeedResult[]) => ({
  bench: "all" as const,
  quick: true,
  machine: { cores: 2, processor: "any", load: 0 },
  rows,
});

test("each benchmark file defines the row of its name", async () => {
  for (const name of rowNames()) {
    const { default: row }: { default: SpeedRow } = await import(`../../scripts/bench/rows/${name}.ts`);
    expect(row.name).toBe(name);
    expect(row.goal).toBeGreaterThan(0);
  }
  expect(() => chosenRows(["none-such"])).toThrow("there is no row none-such");
});

test("rows are compared by their ratio to the floor of the same run", () => {
  const before = run(result("a", 10, 5), result("b", 10, 5), result("c", 100, 50, "more"), result("d", 8, 4));
  const failed = { ...result("e", 1, 1), figure: undefined, failed: "exit 1" };
  const now = run(
    result("a", 20, 10),
    result("b", 20, 5),
    result("c", 20, 50, "more"),
    result("d", 4, 4),
    failed,
  );
  const verdicts = compare(now, before, 0.3).map(({ name, verdict }) => [name, verdict]);
  expect(verdicts).toEqual([
    ["a", "same"],
    ["b", "dearer"],
    ["c", "dearer"],
    ["d", "cheaper"],
    ["e", "failed"],
  ]);
});

test("a figure without a floor has no ratio, and a goal is compared in its direction", () => {
  expect(overFloor({ ...result("a", 5, 1), figure: { value: 5 } })).toBeUndefined();
  expect(overFloor(result("a", 100, 200, "more"))).toBe(2);
  expect([reached(result("a", 9, 1)), reached(result("a", 9, 1, "more"))]).toEqual([true, false]);
});

test("profile time counts for the nearest own code, without waits", () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 9 });
  const piece: Piece = {
    title: "main.ts",
    args: "serve",
    made: { Object: 3 },
    profile: {
      nodes: [
        { id: 1, callFrame: frame("(root)", ""), children: [2] },
        { id: 2, callFrame: frame("seal", "file:///x/src/store/cipher.ts"), children: [3] },
        { id: 3, callFrame: frame("update", "") },
      ],
      samples: [2, 3, 3],
      timeDeltas: [1_000, 2_000, 900_000],
    },
  };
  expect(tables([piece, piece])).toEqual([
    {
      process: "service, main thread",
      ms: 16,
      parts: { seal: 16 },
      functions: { update: 14, "seal src/store/cipher.ts:10": 2 },
      objects: { Object: 6 },
    },
  ]);
});
