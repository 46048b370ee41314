/** Decides which times of a schedule fire now, which were missed, and which is next. Pure. */
import type { Overlap } from "../api/schedules/schedule.ts";
import type { Due, Times } from "./times.ts";

export interface PlannedFiring {
  readonly dueAt: number;
  /** `missed`: recorded, but nothing is submitted. */
  readonly does: "fire" | "missed";
  readonly overlap: Overlap;
  readonly reason?: string;
}

export interface Plan {
  readonly firings: readonly PlannedFiring[];
  /** Undefined if there is none. */
  readonly next: Due | undefined;
}

export interface Policies {
  readonly overlap: Overlap;
  readonly missed: { readonly policy: "skip" | "once" | "all"; readonly most: number };
}

/** Firings late by less than this count as on time: a restart takes seconds. */
export const graceMs = 60_000;
/** Number of missed times examined one by one before the rest is skipped. */
const maxLooked = 500;

interface Elapsed {
  readonly missed: readonly Due[];
  readonly onTime: readonly Due[];
  /** Number of missed times; undefined if not all were examined. */
  readonly count: number | undefined;
  readonly first: Due;
  readonly next: Due | undefined;
}

/** @param pending the first undecided time. */
export function planOf(times: Times, pending: Due, now: number, { overlap, missed }: Policies): Plan {
  if (pending.fireAt > now) return { firings: [], next: pending };
  const elapsed = elapsedOf(times, pending, now, missed.most);
  const onTime = elapsed.onTime.map(({ dueAt }) => ({ dueAt, does: "fire" as const, overlap }));
  return { firings: [...caughtUp(elapsed, missed, overlap), ...onTime], next: elapsed.next };
}

function caughtUp(elapsed: Elapsed, { policy, most }: Policies["missed"], overlap: Overlap): PlannedFiring[] {
  const { missed, onTime } = elapsed;
  const last = missed.at(-1);
  if (last === undefined) return [];
  const common = { dueAt: last.dueAt, overlap, reason: missedText(elapsed) };
  if (policy === "all") {
    const fired = missed.slice(-most);
    const lastDropped = missed.at(-most - 1);
    const rest = lastDropped ? [{ ...common, dueAt: lastDropped.dueAt, does: "missed" as const }] : [];
    // Catch-up firings come at once: queue them, so that none is skipped.
    const queued = overlap === "skip" ? "queue" : overlap;
    return [
      ...rest,
      ...fired.map(({ dueAt }) => ({ dueAt, does: "fire" as const, overlap: queued, reason: late })),
    ];
  }
  const fires = policy === "once" && onTime.length === 0;
  return [{ ...common, does: fires ? ("fire" as const) : ("missed" as const) }];
}

const late = "it was missed and fires late";

function missedText({ count, first, missed }: Elapsed): string {
  const last = missed.at(-1) ?? first;
  if (count === 1) return "the service was not running when it was due";
  const iso = (ms: number) => new Date(ms).toISOString();
  return `${count ?? `more than ${maxLooked}`} times were missed, from ${iso(first.dueAt)} to ${iso(last.dueAt)}`;
}

function elapsedOf(times: Times, pending: Due, now: number, maxMissed: number): Elapsed {
  const missed: Due[] = [];
  const onTime: Due[] = [];
  let looked = 0;
  let passed = false;
  let due: Due | undefined = pending;
  while (due !== undefined && due.fireAt <= now) {
    (due.fireAt <= now - graceMs ? missed : onTime).push(due);
    looked++;
    // Keeps one more than fires, to report the rest as missed.
    if (missed.length > maxMissed + 1) missed.shift();
    let from: number = due.dueAt;
    if (looked === maxLooked) {
      const stepMs = (due.dueAt - pending.dueAt) / looked;
      const near = Math.floor(now - graceMs - stepMs * (maxMissed + 10));
      passed = near > from;
      from = Math.max(from, near);
    }
    due = times.after(from);
  }
  const count = passed ? undefined : looked - onTime.length;
  return { missed, onTime, count, first: pending, next: due };
}
