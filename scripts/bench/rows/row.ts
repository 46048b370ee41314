/** What a row of the table of speed is: `bun run bench:all` measures all of them, `bun run profile` looks into one. */
import * as v from "valibot";

export interface SpeedRow {
  /** The name of its file. */
  readonly name: string;
  /** What is measured, as the table says it. */
  readonly title: string;
  readonly unit: "ms" | "s" | "KB" | "MB" | "jobs/s" | "x";
  readonly better: "less" | "more";
  readonly goal: number;
  /** @param size.quick for comparisons: under 15 seconds; else under a minute */
  measure(size: { readonly quick: boolean }): Promise<SpeedFigure>;
}

/** What a row measured. */
export const speedFigure = v.object({
  value: v.number(),
  /** The least that the same work takes, by a client or program without the service, in the same run and unit. */
  floor: v.optional(v.object({ name: v.string(), value: v.number() })),
  details: v.optional(v.record(v.string(), v.union([v.number(), v.string()]))),
});
export type SpeedFigure = v.InferOutput<typeof speedFigure>;

/** A row with its figure, as `bench:all --json` prints it; `failed` in the place of a figure. */
export const speedResult = v.object({
  name: v.string(),
  title: v.string(),
  unit: v.string(),
  better: v.picklist(["less", "more"]),
  goal: v.number(),
  seconds: v.number(),
  figure: v.optional(speedFigure),
  failed: v.optional(v.string()),
});
export type SpeedResult = v.InferOutput<typeof speedResult>;

export const speedRun = v.object({
  bench: v.literal("all"),
  quick: v.boolean(),
  machine: v.object({ cores: v.number(), processor: v.string(), load: v.number() }),
  rows: v.array(speedResult),
});
export type SpeedRun = v.InferOutput<typeof speedRun>;

/** By how much the row is dearer than its floor; undefined without one. More is dearer, whatever the row counts. */
export function overFloor({ figure, better }: SpeedResult): number | undefined {
  if (figure?.floor === undefined || figure.floor.value === 0 || figure.value === 0) return undefined;
  const { value, floor } = figure;
  return better === "less" ? value / floor.value : floor.value / value;
}

export function reached({ figure, better, goal }: SpeedResult): boolean {
  if (figure === undefined) return false;
  return better === "less" ? figure.value <= goal : figure.value >= goal;
}
