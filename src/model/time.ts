/** Times as people read them: ISO 8601 with the offset of a zone. */

/** @param zone IANA name; the offset is looked up once for each quarter of an hour, since a look-up takes 20 µs. */
export function createIso(zone = "UTC"): (ms: number) => string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offsets = new Map<number, number>();

  function offsetMinutes(ms: number): number {
    const quarter = Math.floor(ms / 900_000);
    const kept = offsets.get(quarter);
    if (kept !== undefined) return kept;
    const name = parts.formatToParts(ms).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const offset = (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    if (offsets.size > 1_000) offsets.clear();
    offsets.set(quarter, offset);
    return offset;
  }

  return (ms) => {
    const offset = zone === "UTC" ? 0 : offsetMinutes(ms);
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
    const away = Math.abs(offset);
    const two = (value: number) => String(value).padStart(2, "0");
    return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(away / 60))}:${two(away % 60)}`;
  };
}
