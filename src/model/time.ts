/** Times as people read them: ISO 8601 with the offset of a zone. */
import { offsetsOf } from "../base/zone.ts";

/** What jobs tell lies within few seconds: of those of one second, only the last three figures differ. */
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
