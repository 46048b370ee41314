/** Defines an attack, runs it and judges the outcome. */
import { type AbusedService, type AbusedStore, startAbused } from "./service.ts";
import { speed, type Watched, watch } from "./watch.ts";

export interface Attack {
  readonly name: string;
  /** What the attacker tries to achieve. */
  readonly about: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ended jobs in the store at the start, at full size. */
  readonly stored?: number;
  /** Setup before the measurement starts. */
  prepare?(service: AbusedService, size: number): Promise<void>;
  run(service: AbusedService, size: number): Promise<Outcome>;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number | string>>;
  /** Broken promises specific to this attack, besides the general ones. */
  readonly breaches?: readonly string[];
}

export interface AttackReport extends Outcome {
  readonly name: string;
  readonly watched: Watched;
  readonly before: number;
  readonly after: number;
  readonly breaches: readonly string[];
  readonly seconds: number;
}

export interface PlayOptions {
  readonly binary?: string | undefined;
  /** 1: the full attack; less: a fraction of it. */
  readonly size: number;
  /** Stored jobs instead of the number of an attack. */
  readonly stored?: number | undefined;
  readonly store?: AbusedStore | undefined;
  /** Whether to judge timing as well; not in tests, which may run on a busy machine. */
  readonly timed: boolean;
}

export const limits = { memoryMb: 600, slowestMs: 2_000, slowdown: 0.6 } as const;

/** On a service of its own. */
export async function play(attack: Attack, options: PlayOptions): Promise<AttackReport> {
  const { binary, size, stored, store } = options;
  const service = await startAbused({
    binary,
    env: attack.env,
    store,
    stored: attack.stored === undefined ? 0 : (stored ?? Math.round(attack.stored * size)),
  });
  try {
    return await playOn(service, attack, options);
  } finally {
    await service.stop();
  }
}

/** On a service that has what the attack wants of one. */
export async function playOn(
  service: AbusedService,
  attack: Attack,
  { size, timed }: PlayOptions,
): Promise<AttackReport> {
  const from = performance.now();
  const jobs = timed ? 400 : 30;
  await speed(service, 1, jobs);
  // Starts the template process, which takes a second on a busy machine.
  await service.other.call("POST", "/template/render", { template: "{{ a }}", context: { a: 1 } });
  const before = timed ? await speed(service, 3, jobs) : 0;
  await attack.prepare?.(service, size);
  const stopWatch = watch(service);
  const outcome = await attack.run(service, size);
  const watched = await stopWatch();
  const after = timed ? await recovered(service, before) : 0;
  const breaches = [
    ...(outcome.breaches ?? []),
    ...judge(watched, timed),
    ...(timed && after < before * limits.slowdown
      ? [`slower afterwards: ${before.toFixed(0)} jobs/s before, ${after.toFixed(0)} after`]
      : []),
  ];
  const seconds = (performance.now() - from) / 1000;
  return { name: attack.name, figures: outcome.figures, watched, before, after, breaches, seconds };
}

/** Waits for garbage collection and for other load on the machine to pass. */
async function recovered(service: AbusedService, before: number): Promise<number> {
  let best = 0;
  for (let tries = 0; tries < 4 && best < before * limits.slowdown; tries++) {
    if (tries > 0) await pause(2_000);
    best = Math.max(best, await speed(service, 3, 400));
  }
  return best;
}

function judge({ most, slowestMs, slowest, refused }: Watched, timed: boolean): string[] {
  return [
    ...(most.mb > limits.memoryMb ? [`${most.mb.toFixed(0)} MB of memory`] : []),
    ...(timed && slowestMs > limits.slowestMs
      ? [`another key waited ${slowestMs.toFixed(0)} ms for a ${slowest}`]
      : []),
    ...(refused.length > 0
      ? [
          `${refused.length} requests of another key were refused: ${[...new Set(refused)].slice(0, 3).join(", ")}`,
        ]
      : []),
  ];
}

/** Counts responses by status. */
export function tally(statuses: readonly (number | string)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Runs many requests concurrently and counts them by status; a closed connection counts as `cut`. */
export async function flood(
  count: number,
  atOnce: number,
  one: (at: number) => Promise<number>,
): Promise<Record<string, number>> {
  const statuses: (number | string)[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) statuses.push(await one(next++).catch(() => "cut"));
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, work));
  return tally(statuses);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
