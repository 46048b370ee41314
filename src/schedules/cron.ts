/**
 * Cron expressions in a time zone. croner computes the matching local times; this module handles times that a DST
 * change skips or repeats.
 */
import { Cron } from "croner";
import type { Zone } from "../base/time/zone.ts";

export interface CronTimes {
  /** The first time after `ms`; undefined if there is none. */
  after(ms: number): number | undefined;
}

/** How far to look for a repeated local time. */
const maxRepeated = 500;
const dayMs = 86_400_000;

/** @returns the error in the expression; undefined if it is valid. */
export function cronProblem(expression: string): string | undefined {
  try {
    if (/^\s*\d{4}-/.test(expression))
      return "must be five fields: minute, hour, day, month, day of the week";
    parsed(expression).stop();
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    return `is not a cron expression with five fields: ${reason}`;
  }
}

/**
 * A skipped time is due once, at the DST change. A repeated time is due only the first time, unless the hour is `*`:
 * then every elapsed hour counts.
 * @throws TypeError the expression is invalid
 */
export function cronTimes(expression: string, zone: Zone): CronTimes {
  const cron = parsed(expression);
  const everyHour = /^\s*(@hourly\b|\S+\s+\*\s)/.test(expression);
  const localAfter = (local: number) => cron.nextRun(new Date(local))?.getTime();

  /** Includes times repeated by a DST change. */
  function elapsed(ms: number): number | undefined {
    const local = localAfter(zone.localOf(ms));
    if (local === undefined) return undefined;
    const straight = local - (zone.localOf(ms) - ms);
    if (zone.localOf(straight) === local) return straight;
    const [first, change] = [named(ms), zone.changeWithin(ms, ms + dayMs)];
    const localAfterChange = change === undefined ? undefined : localAfter(zone.localOf(change) - 1);
    if (change === undefined || localAfterChange === undefined) return first;
    const afterChange = localAfterChange - (zone.localOf(change) - change);
    return zone.localOf(afterChange) === localAfterChange && afterChange > ms
      ? Math.min(first ?? afterChange, afterChange)
      : first;
  }

  function named(ms: number): number | undefined {
    let local: number | undefined = zone.localOf(ms);
    for (let tries = 0; tries < maxRepeated; tries++) {
      local = localAfter(local);
      if (local === undefined) return undefined;
      const at = zone.instantOf(local);
      if (at > ms) return at;
    }
    return undefined;
  }

  return { after: everyHour ? elapsed : named };
}

/** Evaluates local times as UTC: croner's time zones are slow, and drop lists of times in a skipped hour. */
function parsed(expression: string): Cron {
  return new Cron(expression, { paused: true, utcOffset: 0, mode: "5-part" });
}
