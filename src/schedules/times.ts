/** Computes the due times of a schedule. Pure. */

import { everyMs, type ScheduleRequest } from "../api/schedules/schedule.ts";
import { readWindows } from "../base/time/maintenance-windows.ts";
import { zoneNamed } from "../base/time/zone.ts";
import { cronTimes } from "./cron.ts";

export type Timing = Pick<
  ScheduleRequest,
  "cron" | "time_zone" | "every" | "at" | "jitter_seconds" | "not_before" | "not_after" | "window"
>;

/** One time of a schedule, in ms since 1970. */
export interface Due {
  /** Identifies the firing: there is one per due time. */
  readonly dueAt: number;
  /** The due time plus jitter. */
  readonly fireAt: number;
}

export interface Times {
  /** The first time due after `ms`; undefined if there is none. */
  after(ms: number): Due | undefined;
}

/** Maximum steps to find a time within a window; each step skips to the next opening. */
const maxSteps = 400;

/**
 * @param id seeds the jitter together with the time, so that every node computes the same.
 * @param anchor start of the `every` interval.
 */
export function timesOf(id: string, timing: Timing, anchor: number): Times {
  const notBefore = timeOf(timing.not_before) ?? Number.NEGATIVE_INFINITY;
  const notAfter = timeOf(timing.not_after) ?? Number.POSITIVE_INFINITY;
  const windows = timing.window && timing.window.length > 0 ? readWindows(timing.window) : undefined;
  const plain = plainTimes(timing, Math.max(anchor, notBefore));

  function fireAt(dueAt: number): number {
    const jitterS = timing.jitter_seconds ?? 0;
    if (jitterS === 0) return dueAt;
    // Never beyond the next time, which it would otherwise delay until it counts as missed.
    const next = plain(dueAt) ?? Number.POSITIVE_INFINITY;
    const spread = Math.min(jitterS, Math.ceil((next - dueAt) / 1_000) - 1);
    const later = dueAt + (hashOf(`${id}/${dueAt}`) % (spread + 1)) * 1_000;
    return later <= notAfter && (windows?.openAt(dueAt)?.to ?? Number.POSITIVE_INFINITY) > later
      ? later
      : dueAt;
  }

  return {
    after(ms) {
      let at = plain(Math.max(ms, notBefore - 1));
      for (let step = 0; step < maxSteps; step++) {
        if (at === undefined || at > notAfter) return undefined;
        if (windows === undefined || windows.openAt(at)) return { dueAt: at, fireAt: fireAt(at) };
        const opens = windows.nextOpen(at);
        if (opens === undefined) return undefined;
        at = plain(opens - 1);
      }
      return undefined;
    },
  };
}

/** The next due times. */
export function nextDues(times: Times, from: number, count: number): Due[] {
  const dues: Due[] = [];
  for (let due = times.after(from); due !== undefined && dues.length < count; due = times.after(due.dueAt))
    dues.push(due);
  return dues;
}

function plainTimes(
  { cron, time_zone, every, at }: Timing,
  anchor: number,
): (ms: number) => number | undefined {
  if (cron) {
    const zone = zoneNamed(time_zone ?? "UTC") ?? zoneNamed("UTC");
    return zone === undefined ? () => undefined : cronTimes(cron, zone).after;
  }
  if (every) {
    const step = everyMs(every) ?? Number.POSITIVE_INFINITY;
    return (ms) => anchor + Math.max(1, Math.floor((ms - anchor) / step) + 1) * step;
  }
  const once = timeOf(at);
  return (ms) => (once !== undefined && once > ms ? once : undefined);
}

function timeOf(text: string | null | undefined): number | undefined {
  return text ? Date.parse(text) : undefined;
}

/** FNV-1a hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
