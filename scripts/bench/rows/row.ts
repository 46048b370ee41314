/** A row of the speed table: `bun run bench:all` measures all of them, `bun run profile` profiles one. */
import * as v from "valibot";

export interface SpeedRow {
  /** The name of its file. */
  readonly name: string;
  /** The description in the table. */
  readonly title: string;
  readonly unit: "ms" | "s" | "KB" | "MB" | "jobs/s" | "x";
  readonly better: "less" | "more";
  readonly goal: number;
  /** @param size.quick for comparisons: under 15 seconds; otherwise under a minute */
  measure(size: { readonly quick: boolean }): Promise<SpeedFigure>;
}

/** The result of a row. */
export const speedFigure = v.object({
  value: v.number(),
  /** The cost of the same work by a client or program without the service, in the same run and unit. */
  floor: v.optional(v.object({ name: v.string(), value: v.number() })),
  details: v.optional(v.record(v.string(), v.union([v.number(), v.string()]))),
});
export type SpeedFigure = v.InferOutput<typeof speedFigure>;

/** A row with its figure, as printed by `bench:all --json`; `failed` if there is none. */
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

/** The ratio to the floor; undefined without one. Higher is always worse, whatever the row counts. */
export function overFloor({ figure, better }: SpeedResult): number | undefined {
  if (figure?.floor === undefined || figure.floor.value === 0 || figure.value === 0) return undefined;
  const { value, floor } = figure;
  return better === "less" ? value / floor.value : floor.value / value;
}

export function reached({ figure, better, goal }: SpeedResult): boolean {
  if (figure === undefined) return false;
  return better === "less" ? figure.value <= goal : figure.value >= goal;
}
