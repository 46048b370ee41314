/** Time zones: converts between instants and local time, across both DST changes. */

/** A local time is the wall clock's reading, as milliseconds since 1970 as if it were UTC. */
export interface Zone {
  readonly name: string;
  /** Local time at that instant. */
  localOf(ms: number): number;
  /**
   * The instant of a local time: the first one if the local time occurs twice, and the moment of the change if it is
   * skipped.
   */
  instantOf(local: number): number;
  /** The first instant after `from`, up to `to`, with another offset; undefined if there is none. */
  changeWithin(from: number, to: number): number | undefined;
}

/** Offsets change on quarter hours. */
const quarterMs = 900_000;
const dayMs = 86_400_000;
/**
 * If the offset is the same at both ends of a week, it is constant in between: no zone changes and changes back within
 * one.
 */
const weekMs = 7 * dayMs;
const maxKept = 2_000;
const longestName = 64;

const zones = new Map<string, Zone>();

/**
 * @param name IANA time zone name, such as `Europe/Berlin`.
 * @returns undefined if there is no such zone
 */
export function zoneNamed(name: string): Zone | undefined {
  const cached = zones.get(name);
  if (cached) return cached;
  if (name.length > longestName || !/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  const zone = makeZone(name);
  if (zones.size > maxKept) zones.clear();
  if (zone) zones.set(name, zone);
  return zone;
}

/**
 * Minutes east of UTC, cached per quarter hour, since a lookup takes 20 µs.
 * @throws RangeError
 */
export function offsetsOf(zone: string): (ms: number) => number {
  // The first use loads the time zone tables: 10 ms that a start in UTC does not need.
  let parts: Intl.DateTimeFormat | undefined;
  const cache = new Map<number, number>();
  return (ms) => {
    const quarter = Math.floor(ms / quarterMs);
    const cached = cache.get(quarter);
    if (cached !== undefined) return cached;
    parts ??= new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    // `formatToParts` takes four times as long. The date in front has no sign; UTC is a bare `GMT`.
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(parts.format(ms)) ?? [];
    const offset = (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    if (cache.size > maxKept) cache.clear();
    cache.set(quarter, offset);
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

  /** Undefined: the offset changes in that week. */
  function minutesOfWeek(week: number): number | undefined {
    const first = minutes(week * weekMs);
    const constant = minutes((week + 1) * weekMs) === first ? first : undefined;
    if (weeks.size > maxKept) weeks.clear();
    weeks.set(week, constant);
    return constant;
  }

  function offset(ms: number): number {
    const week = Math.floor(ms / weekMs);
    const constant = weeks.has(week) ? weeks.get(week) : minutesOfWeek(week);
    return (constant ?? minutes(ms)) * 60_000;
  }

  /** Binary search: there is exactly one change in between. */
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
      const candidates = [local - early, local - late].filter((ms) => ms + offset(ms) === local);
      return candidates.length > 0 ? Math.min(...candidates) : changeBetween(local - dayMs, local + dayMs);
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
