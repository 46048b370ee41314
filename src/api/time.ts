/** Formats times as ISO 8601 with a zone offset. */
import { offsetsOf } from "../base/time/zone.ts";

/** Caches the last second: times of jobs are close together. */
function isoUtc(): (ms: number) => string {
  let second = Number.NaN;
  let begin = "";
  return (ms) => {
    const of = Math.floor(ms / 1000);
    if (of !== second) {
      begin = new Date(of * 1000).toISOString().slice(0, -4);
      second = of;
    }
    return `${begin}${String(Math.trunc(ms - of * 1000)).padStart(3, "0")}+00:00`;
  };
}

/** @param zone IANA name */
export function createIso(zone = "UTC"): (ms: number) => string {
  if (zone === "UTC") return isoUtc();
  const offsetMinutes = offsetsOf(zone);
  return (ms) => {
    const offset = offsetMinutes(ms);
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
    const away = Math.abs(offset);
    const two = (value: number) => String(value).padStart(2, "0");
    return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(away / 60))}:${two(away % 60)}`;
  };
}

const written = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Normalizes ISO 8601 for `Date.parse`, which alone would accept November 31 and read a date without a time as UTC.
 * @returns undefined if it is not a valid time
 */
export function isoMomentOf(text: string): string | undefined {
  const found = written.exec(text.toUpperCase());
  if (!found) return undefined;
  const [, year, month, day, time = "00:00", offset = ""] = found;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() + 1 !== Number(month)) return undefined;
  const moment = `${year}-${month}-${day}T${time}${offset.length === 3 ? `${offset}:00` : offset}`;
  return Number.isNaN(Date.parse(moment)) ? undefined : moment;
}
