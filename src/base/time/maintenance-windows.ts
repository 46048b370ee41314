/**
 * Maintenance windows such as "Mon-Fri 22:00-05:00 Europe/Berlin": across midnight, several of them, across both DST
 * changes. Pure: the caller passes the time.
 */
import { type Zone, zoneNamed } from "./zone.ts";

/** Half open, in milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface Windows {
  /** As written by the caller. */
  readonly texts: readonly string[];
  /** The interval that contains this instant, joined with adjacent ones; undefined if closed. */
  openAt(ms: number): Interval | undefined;
  /** The first open instant at or after this one; undefined if there is none within two weeks. */
  nextOpen(ms: number): number | undefined;
}

interface Window {
  readonly zone: Zone;
  /** Whether it opens on each day of the week, starting with Sunday. */
  readonly days: readonly boolean[];
  /** Minutes of the day; ends on the next day unless `to` is after `from`. */
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
export const maxWindows = 20;
export const maxWindowLength = 120;
/** Joins at most this many adjacent intervals, as some windows are always open. */
const maxJoined = 16;

export const windowExample = "Mon-Fri 22:00-05:00 Europe/Berlin";

/** @returns what is wrong with the window; undefined if it is valid. */
export function windowProblem(text: string): string | undefined {
  const read = readWindow(text);
  return typeof read === "string" ? read : undefined;
}

/** @throws RangeError if one of them is invalid */
export function readWindows(texts: readonly string[]): Windows {
  const windows = texts.map((text) => {
    const read = readWindow(text);
    if (typeof read === "string") throw new RangeError(`"${text}" ${read}`);
    return read;
  });
  const openOnce = (ms: number) =>
    longest(
      windows.flatMap((window) => [...intervalsNear(window, ms, 0)]),
      ms,
    );

  function openAt(ms: number): Interval | undefined {
    const first = openOnce(ms);
    if (first === undefined) return undefined;
    let { to } = first;
    for (let joined = 0; joined < maxJoined; joined++) {
      const next = openOnce(to);
      if (next === undefined) break;
      to = next.to;
    }
    return { from: first.from, to };
  }

  return {
    texts,
    openAt,
    nextOpen(ms) {
      if (openOnce(ms)) return ms;
      const starts = windows.flatMap((window) => firstOpening(window, ms) ?? []);
      return starts.length === 0 ? undefined : Math.min(...starts);
    },
  };
}

/** The intersection: open while all of them are open. */
export function allOf(windowSets: readonly Windows[]): Windows {
  const [first] = windowSets;
  if (windowSets.length === 1 && first) return first;
  function openAt(ms: number): Interval | undefined {
    const open = windowSets.map((windows) => windows.openAt(ms));
    if (open.some((interval) => interval === undefined)) return undefined;
    const openIntervals = open.filter((interval) => interval !== undefined);
    return {
      from: Math.max(...openIntervals.map(({ from }) => from)),
      to: Math.min(...openIntervals.map(({ to }) => to)),
    };
  }
  return {
    texts: [...new Set(windowSets.flatMap(({ texts }) => texts))],
    openAt,
    nextOpen(ms) {
      // Each step skips to the next opening of a closed window; windows open a few times a week.
      for (let [at, steps] = [ms, 0]; steps < 500 && at - ms < 28 * dayMs; steps++) {
        const closed = windowSets.find((windows) => windows.openAt(at) === undefined);
        if (closed === undefined) return at;
        const next = closed.nextOpen(at);
        if (next === undefined) return undefined;
        at = next;
      }
      return undefined;
    },
  };
}

function longest(intervals: readonly Interval[], ms: number): Interval | undefined {
  const holding = intervals.filter(({ from, to }) => from <= ms && ms < to);
  return holding.reduce<Interval | undefined>(
    (best, interval) => (best && best.to >= interval.to ? best : interval),
    undefined,
  );
}

/** Computes intervals lazily, in order of opening. */
function firstOpening(window: Window, ms: number): number | undefined {
  for (const { from } of intervalsNear(window, ms, 14)) if (from >= ms) return from;
  return undefined;
}

/** Intervals that opened on the two days before the instant or open within `ahead` days after it, in order. */
function* intervalsNear({ zone, days, from, to }: Window, ms: number, ahead: number): Generator<Interval> {
  const today = Math.floor(zone.localOf(ms) / dayMs);
  for (let day = today - 2; day <= today + ahead; day++) {
    // The first of January 1970 was a Thursday.
    if (!days[(((day + 4) % 7) + 7) % 7]) continue;
    const end = to > from ? to : to + 24 * 60;
    const opens = zone.instantOf(day * dayMs + from * minuteMs);
    const closes = zone.instantOf(day * dayMs + end * minuteMs);
    if (closes > opens) yield { from: opens, to: closes };
  }
}

const shape = /^\s*(?:([A-Za-z,\s-]+?)\s+)?(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})(?:\s+(\S+))?\s*$/;

function readWindow(text: string): Window | string {
  if (text.length > maxWindowLength) return `is longer than ${maxWindowLength} characters`;
  const [, dayText, h1, m1, h2, m2, zoneName = "UTC"] = shape.exec(text) ?? [];
  if (h1 === undefined) return `is not a window: such as "${windowExample}"`;
  const days = readDays(dayText);
  if (typeof days === "string") return days;
  const zone = zoneNamed(zoneName);
  if (zone === undefined)
    return `names an unknown time zone "${zoneName.slice(0, 64)}", such as Europe/Berlin`;
  const [from, to] = [minutes(h1, m1), minutes(h2, m2)];
  if (from === undefined || from === 24 * 60 || to === undefined)
    return "has an invalid time: use 00:00 to 24:00";
  return { zone, days, from, to };
}

function minutes(hours = "", rest = ""): number | undefined {
  const at = Number(hours) * 60 + Number(rest);
  return Number(rest) < 60 && at <= 24 * 60 ? at : undefined;
}

function readDays(text: string | undefined): boolean[] | string {
  if (text === undefined || /^(daily|every\s+day)$/i.test(text.trim())) return Array<boolean>(7).fill(true);
  const days = Array<boolean>(7).fill(false);
  for (const range of text.split(",")) {
    const [first, last, ...more] = range
      .split("-")
      .map((name) => dayNames.indexOf(name.trim().slice(0, 3).toLowerCase()));
    if (first === undefined || first < 0 || (last ?? 0) < 0 || more.length > 0)
      return "has an invalid day: use Mon, Tue, Wed, Thu, Fri, Sat, Sun, with - and commas";
    for (let day = first; ; day = (day + 1) % 7) {
      days[day] = true;
      if (day === (last ?? first)) break;
    }
  }
  return days;
}
