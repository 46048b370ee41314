/** Pushes that wait in their devices for a word (`hold`): how long their timers are, and what is stored of them. Pure. */
import * as v from "valibot";
import type { ChangeRequest } from "../../api/changes/change.ts";
import { inconclusiveSeconds, questionMs } from "../../api/changes/change-gates.ts";
import { defaultTtl } from "../../api/jobs/request.ts";
import type { StoredChangeTarget, StoredJob } from "../../store/port.ts";

const storedOpen = v.object({
  /** What ends it (`CheckReport.open`); absent: a push whose end was not seen. */
  marks: v.exactOptional(v.string()),
  /** It surely waits until the first time, and has surely ended at the second, by the store's clock. */
  lastsUntil: v.number(),
  endsBy: v.number(),
  /** What its timer was set to. */
  seconds: v.optional(v.number(), 0),
  /** When the timer is to start anew; absent: it cannot. */
  extendAt: v.exactOptional(v.number()),
  /** How often it has, or may have. */
  extended: v.optional(v.number(), 0),
  /** A word on its way: what comes of it is not known yet. */
  asked: v.exactOptional(v.object({ seconds: v.number(), part: v.string() })),
  /** As `endsBy`, if that word does not reach the device. */
  endedBy: v.exactOptional(v.number()),
});
export type StoredOpen = v.InferOutput<typeof storedOpen>;
export type Asked = NonNullable<StoredOpen["asked"]>;

/** @returns undefined if no timer of ours runs on the device */
export function openOf({ open }: Pick<StoredChangeTarget, "open">): StoredOpen | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), storedOpen), open);
  return read.success ? read.output : undefined;
}

/** Between the last word that counts and the first that may come too late. */
const spareS = 120;
/** Of a push or a reading, beyond the wait that its checks ask for. */
const workS = 60;
/** Devices round their timers up to minutes, and count from the answer. */
const lateS = 90;
/** Clocks of devices drift, and a word takes its time. */
const marginMs = 15_000;
/** A confirmation with less time is not begun. */
const leastTtlS = 10;
/** Thousands of devices take longer than one that does not answer may hold up the others. */
export const wordTtl = (devices: number) => Math.min(600, 120 + Math.ceil(devices / 20));

/** The timer of each device of a wave: until all have got their lines, were read, soaked and judged, and some time more. */
export function holdSecondsOf(
  { checks, strategy, ttl }: Pick<ChangeRequest, "checks" | "strategy" | "ttl">,
  devices: number,
  sentinels: number,
  concurrency: number,
): number {
  const rounds = (count: number) => Math.ceil(count / concurrency);
  const questions = (strategy?.questions ?? []).map(questionMs);
  const askS = questions.length === 0 ? 0 : inconclusiveSeconds(strategy) + Math.max(...questions) / 1_000;
  const judgingS = Math.max(workS, rounds(sentinels) * workS + askS);
  const pushingS = rounds(devices) * (workS + (checks?.settle_seconds ?? 0));
  const toGate = pushingS + workS + (strategy?.soak_seconds ?? 0) + judgingS;
  // A device waits at least for its own job.
  return Math.ceil(Math.max(toGate, ttl ?? defaultTtl.bulk) + spareS);
}

/** @param job of the push */
export function openAfter(
  job: Pick<StoredJob, "startedAt" | "endedAt">,
  marks: string | undefined,
  seconds: number,
  now: number,
): string {
  const begun = job.startedAt ?? now;
  const open: StoredOpen = {
    ...(marks === undefined ? {} : { marks, extendAt: begun + seconds * extendShareMs }),
    lastsUntil: begun + seconds * 1_000,
    endsBy: (job.endedAt ?? now) + (seconds + lateS) * 1_000,
    ...{ seconds, extended: 0 },
  };
  return JSON.stringify(open);
}

/** Of each second of a timer: it starts anew when half of it is over. */
const extendShareMs = 500;

/** Before a word is sent that starts the timer anew. Unless more is heard of it, the next one is due at half of the rest. */
export function askedOpen(open: StoredOpen, asked: Asked, now: number): string {
  const { lastsUntil, endsBy, extended } = open;
  const latest = lastsUntil + (asked.seconds + lateS) * 1_000;
  const next: StoredOpen = {
    ...{ ...open, asked, extended: extended + 1, endedBy: endsBy, endsBy: Math.max(endsBy, latest) },
    extendAt: now + (lastsUntil - now) / 2,
  };
  return JSON.stringify(next);
}

/** @param job that has started it anew */
export function extendedOpen(
  { asked, endedBy: _endedBy, ...open }: StoredOpen,
  { startedAt, endedAt }: Pick<StoredJob, "startedAt" | "endedAt">,
): string {
  const seconds = asked?.seconds ?? open.seconds;
  const begun = startedAt ?? open.lastsUntil - open.seconds * 1_000;
  const next: StoredOpen = {
    ...{ ...open, seconds, extendAt: begun + seconds * extendShareMs },
    lastsUntil: begun + seconds * 1_000,
    endsBy: (endedAt ?? begun) + (seconds + lateS) * 1_000,
  };
  return JSON.stringify(next);
}

/** @param isUnsent the word has not reached the device */
export function unasked({ asked: _asked, endedBy, ...open }: StoredOpen, isUnsent = false): string {
  const next: StoredOpen = { ...open, endsBy: isUnsent ? (endedBy ?? open.endsBy) : open.endsBy };
  return JSON.stringify(next);
}

/**
 * How long a job that confirms may wait, and then run, so that its word comes while the device surely waits for it.
 * @param devices that get such a word with it
 * @returns undefined if no word would be in time
 */
export function confirmTtl(
  { lastsUntil }: Pick<StoredOpen, "lastsUntil">,
  now: number,
  devices = 1,
): number | undefined {
  const seconds = Math.floor((lastsUntil - marginMs - now) / 2_000);
  return seconds < leastTtlS ? undefined : Math.min(seconds, wordTtl(devices));
}
