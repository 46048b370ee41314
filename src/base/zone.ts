/** Zones of time: what the clock on the wall shows there, and when it shows that. Both changes of the clock included. */

/** A local time is what the wall clock shows, as milliseconds since 1970 as if it were UTC. */
export interface Zone {
  readonly name: string;
  /** What the wall clock shows at that instant. */
  localOf(ms: number): number;
  /**
   * When the wall clock shows it: the first time where it does so twice, and the moment of the change where the change
   * leaves it out.
   */
  instantOf(local: number): number;
  /** The first instant after `from`, up to `to`, that has another offset; undefined: there is none. */
  changeWithin(from: number, to: number): number | undefined;
}

/** Offsets change at quarters of an hour. */
const quarterMs = 900_000;
const dayMs = 86_400_000;
/** What is the same at both ends of a week is so all through it: no zone changes and changes back within one. */
const weekMs = 7 * dayMs;
const mostKept = 2_000;
const longestName = 64;

const zones = new Map<string, Zone>();

/** @param name of the IANA data base, such as `Europe/Berlin`. @returns undefined: there is no such zone */
export function zoneNamed(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known) return known;
  if (name.length > longestName || !/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  const made = makeZone(name);
  if (zones.size > mostKept) zones.clear();
  if (made) zones.set(name, made);
  return made;
}

/** Minutes east of UTC, looked up once for each quarter of an hour, since a look-up takes 20 µs. @throws RangeError */
export function offsetsOf(zone: string): (ms: number) => number {
  // The first one reads the tables of the zones: 10 ms that a start in UTC does not need.
  let parts: Intl.DateTimeFormat | undefined;
  const kept = new Map<number, number>();
  return (ms) => {
    const quarter = Math.floor(ms / quarterMs);
    const known = kept.get(quarter);
    if (known !== undefined) return known;
    parts ??= new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    // In parts it takes four times as long. The date before it has no sign; UTC is a bare `GMT`.
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(parts.format(ms)) ?? [];
    const offset = (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    if (kept.size > mostKept) kept.clear();
    kept.set(quarter, offset);
    return offset;
  };
}

function makeZone(name: string): Zone | undefined {
  let minutes: (ms: number) => number;
  try {
    minutes = offsetsOf(name);
    minutes(0);
  } catch {
    return undefined;
  }
  const weeks = new Map<number, number | undefined>();

  /** Undefined: its offset changes. */
  function minutesOfWeek(week: number): number | undefined {
    const first = minutes(week * weekMs);
    const whole = minutes((week + 1) * weekMs) === first ? first : undefined;
    if (weeks.size > mostKept) weeks.clear();
    weeks.set(week, whole);
    return whole;
  }

  function offset(ms: number): number {
    const week = Math.floor(ms / weekMs);
    const whole = weeks.has(week) ? weeks.get(week) : minutesOfWeek(week);
    return (whole ?? minutes(ms)) * 60_000;
  }

  /** By halves: there is one change between them. */
  function changeBetween(from: number, to: number): number {
    let [before, after] = [Math.floor(from / quarterMs), Math.ceil(to / quarterMs)];
    const old = offset(before * quarterMs);
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offset(middle * quarterMs) === old) before = middle;
      else after = middle;
    }
    return after * quarterMs;
  }

  return {
    name,
    localOf: (ms) => ms + offset(ms),
    instantOf(local) {
      const [early, late] = [offset(local - dayMs), offset(local + dayMs)];
      if (early === late && offset(local - early) === early) return local - early;
      const both = [local - early, local - late].filter((ms) => ms + offset(ms) === local);
      return both.length > 0 ? Math.min(...both) : changeBetween(local - dayMs, local + dayMs);
    },
    changeWithin(from, to) {
      for (let at = from; at < to; at += dayMs) {
        const end = Math.min(to, at + dayMs);
        if (offset(end) !== offset(at)) return changeBetween(at, end);
      }
      return undefined;
    },
  };
}
