/** Reads the output of census.ts and fits regression lines. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const line = v.object({
  role: v.picklist(["main", "thread", "child"]),
  at: v.number(),
  heap: v.number(),
  extra: v.number(),
  given: v.number(),
  types: v.record(v.string(), v.number()),
});
export type CensusLine = v.InferOutput<typeof line>;

export type Point = readonly [x: number, y: number];

export interface Slope {
  readonly perUnit: number;
  /** Standard error of the slope for independent samples; they are correlated, so the true one is larger. */
  readonly standardError: number;
}

/** @returns a list for each process and thread */
export function readCensus(folder: string): CensusLine[][] {
  return readdirSync(folder).map((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((text) => v.parse(line, JSON.parse(text))),
  );
}

/** Least squares. */
export function slopeOf(points: readonly Point[]): Slope {
  const n = points.length;
  const meanX = sum(points.map(([x]) => x)) / Math.max(1, n);
  const meanY = sum(points.map(([, y]) => y)) / Math.max(1, n);
  const under = sum(points.map(([x]) => (x - meanX) ** 2));
  if (n < 3 || under === 0) return { perUnit: 0, standardError: 0 };
  const perUnit = sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / under;
  const left = sum(points.map(([x, y]) => (y - meanY - perUnit * (x - meanX)) ** 2));
  return { perUnit, standardError: Math.sqrt(left / (n - 2) / under) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
