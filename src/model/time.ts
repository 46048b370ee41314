/** Times as people read them: ISO 8601 with the offset of a zone. */
import { offsetsOf } from "../base/zone.ts";

/** @param zone IANA name */
export function createIso(zone = "UTC"): (ms: number) => string {
  if (zone === "UTC") return (ms) => `${new Date(ms).toISOString().slice(0, -1)}+00:00`;
  const offsetMinutes = offsetsOf(zone);
  return (ms) => {
    const offset = offsetMinutes(ms);
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
    const away = Math.abs(offset);
    const two = (value: number) => String(value).padStart(2, "0");
    return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(away / 60))}:${two(away % 60)}`;
  };
}
