/**
 * Expressions of cron in a zone of time. croner says which local times they name; what becomes of those that a change of
 * the clock leaves out or shows twice is decided here.
 */
import { Cron } from "croner";
import type { Zone } from "../base/zone.ts";

export interface CronTimes {
  /** The first time after it; undefined: there is none. */
  after(ms: number): number | undefined;
}

/** A local time that is there twice is over at most this long before it is there again. */
const mostRepeated = 500;
const dayMs = 86_400_000;

/** @returns what is wrong with the expression; undefined where nothing is. */
export function cronProblem(expression: string): string | undefined {
  try {
    if (/^\s*\d{4}-/.test(expression))
      return "must be five fields: minute, hour, day, month, day of the week";
    parsed(expression).stop();
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    return `is no expression of cron with five fields: ${reason}`;
  }
}

/**
 * A time that the change of the clock leaves out is due at the change, once; one that is there twice is due the first
 * time. Where the hour is `*`, every hour that goes by is meant: then it is due both times.
 * @throws TypeError the expression is none
 */
export function cronTimes(expression: string, zone: Zone): CronTimes {
  const cron = parsed(expression);
  const everyHour = /^\s*(@hourly\b|\S+\s+\*\s)/.test(expression);
  const localAfter = (local: number) => cron.nextRun(new Date(local))?.getTime();

  /** Also what the change of the clock shows again. */
  function elapsed(ms: number): number | undefined {
    const local = localAfter(zone.localOf(ms));
    if (local === undefined) return undefined;
    const straight = local - (zone.localOf(ms) - ms);
    if (zone.localOf(straight) === local) return straight;
    const [first, change] = [named(ms), zone.changeWithin(ms, ms + dayMs)];
    const anew = change === undefined ? undefined : localAfter(zone.localOf(change) - 1);
    if (change === undefined || anew === undefined) return first;
    const again = anew - (zone.localOf(change) - change);
    return zone.localOf(again) === anew && again > ms ? Math.min(first ?? again, again) : first;
  }

  function named(ms: number): number | undefined {
    let local: number | undefined = zone.localOf(ms);
    for (let tries = 0; tries < mostRepeated; tries++) {
      local = localAfter(local);
      if (local === undefined) return undefined;
      const at = zone.instantOf(local);
      if (at > ms) return at;
    }
    return undefined;
  }

  return { after: everyHour ? elapsed : named };
}

/** Local times as if they were UTC: croner's own zones are slow, and leave out lists of times in the missing hour. */
function parsed(expression: string): Cron {
  return new Cron(expression, { paused: true, utcOffset: 0, mode: "5-part" });
}
