/** Memory growth after the warm-up: in total, by part, per hour and per thousand jobs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { Sample } from "./watch.ts";

/** Fraction of the run in which caches are still cold. */
const warmUp = 1 / 3;
const shownTypes = 12;
const MB = 1024 * 1024;
/** A process without output for this many samples has ended. */
const silentSamples = 3;

/** A part at one moment, in MB. */
interface Measured {
  readonly at: number;
  readonly jobs: number;
  readonly mb: number;
}

type Role = CensusLine["role"];
const roles: readonly Role[] = ["main", "thread", "child"];

/** Slopes with standard errors, after the warm-up and for the second half of the remaining time. */
export function growthOf(samples: readonly Sample[], censusFolder: string): Record<string, unknown> {
  const heaps = readCensus(censusFolder);
  const everyMs = ((samples.at(-1)?.clock ?? 0) - (samples[0]?.clock ?? 0)) / Math.max(1, samples.length - 1);
  const linesAt = (clock: number) =>
    heaps.flatMap((lines) => {
      const last = lines.findLast(({ at }) => at <= clock + everyMs / 2);
      return last === undefined || clock - last.at > silentSamples * everyMs ? [] : [last];
    });
  const moments = samples.slice(Math.floor(samples.length * warmUp)).map((sample) => {
    const lines = linesAt(sample.clock);
    const sumOf = (role: Role, of: (line: CensusLine) => number) =>
      lines.filter((line) => line.role === role).reduce((sum, line) => sum + of(line), 0);
    return { ...sample, sumOf };
  });
  const part = (mb: (moment: (typeof moments)[number]) => number) =>
    growth(moments.map((moment) => ({ at: moment.at, jobs: moment.jobs, mb: mb(moment) })));
  const heapsOf = ({ sumOf }: (typeof moments)[number]) =>
    roles.reduce((sum, role) => sum + sumOf(role, ({ heap }) => heap), 0) / MB;
  return {
    whole: part(({ rssMb }) => rssMb),
    heap_of_main_thread: part(({ sumOf }) => sumOf("main", ({ heap }) => heap) / MB),
    heaps_of_device_threads: part(({ sumOf }) => sumOf("thread", ({ heap }) => heap) / MB),
    heaps_of_template_processes: part(({ sumOf }) => sumOf("child", ({ heap }) => heap) / MB),
    rest: part((moment) => moment.rssMb - heapsOf(moment)),
    allocated_in_service: part(({ sumOf }) => sumOf("main", ({ given }) => given) / MB),
    objects_per_1000_jobs: Object.fromEntries(
      roles.map((role) => [
        role,
        typesOf(
          moments.map(({ jobs, clock }) => ({
            jobs,
            lines: linesAt(clock).filter((line) => line.role === role),
          })),
        ),
      ]),
    ),
  };
}

function growth(points: readonly Measured[]) {
  const perHour = (some: readonly Measured[]) => slopeOf(some.map(({ at, mb }) => [at / 60, mb]));
  return {
    mb_at_end: rounded(points.at(-1)?.mb ?? 0),
    mb_per_hour: shown(perHour(points)),
    later_half_mb_per_hour: shown(perHour(points.slice(Math.floor(points.length / 2)))),
    kb_per_1000_jobs: shown(slopeOf(points.map(({ jobs, mb }) => [jobs / 1_000, mb * 1_024]))),
  };
}

/** Types whose count grows with the highest confidence: `[slope, standard error, count at the end]`. */
function typesOf(
  moments: readonly { jobs: number; lines: readonly CensusLine[] }[],
): Record<string, unknown> {
  const countOf = (lines: readonly CensusLine[], name: string) =>
    lines.reduce((sum, { types }) => sum + (types[name] ?? 0), 0);
  const last = moments.at(-1)?.lines ?? [];
  const names = new Set(last.flatMap(({ types }) => Object.keys(types)));
  return Object.fromEntries(
    [...names]
      .map((name) => {
        const slope = slopeOf(moments.map(({ jobs, lines }): Point => [jobs / 1_000, countOf(lines, name)]));
        return { name, slope, sure: slope.perUnit - 2 * slope.standardError };
      })
      .filter(({ sure }) => sure > 0.5)
      .sort((a, b) => b.sure - a.sure)
      .slice(0, shownTypes)
      .map(({ name, slope }) => [name, [...shown(slope), countOf(last, name)]]),
  );
}

function shown({ perUnit, standardError }: Slope): readonly [number, number] {
  return [rounded(perUnit), rounded(standardError)];
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const line = v.object({
  role: v.picklist(["main", "thread", "child"]),
  at: v.number(),
  heap: v.number(),
  extra: v.number(),
  given: v.number(),
  types: v.record(v.string(), v.number()),
});
/** Reads the output of census.ts and fits regression lines. */
type CensusLine = v.InferOutput<typeof line>;

type Point = readonly [x: number, y: number];

interface Slope {
  readonly perUnit: number;
  /** Standard error of the slope for independent samples; they are correlated, so the true one is larger. */
  readonly standardError: number;
}

/** @returns a list for each process and thread */
function readCensus(folder: string): CensusLine[][] {
  return readdirSync(folder).map((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((text) => v.parse(line, JSON.parse(text))),
  );
}

/** Least squares. */
function slopeOf(points: readonly Point[]): Slope {
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
