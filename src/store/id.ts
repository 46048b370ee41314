/** Ids: UUIDv7, ordered by time and, within a process, by creation. */
import { randomBytes } from "node:crypto";

export type MakeId = () => string;

/** @param now milliseconds since 1970; the order is kept if the clock is set back */
export function createIds(now: () => number): MakeId {
  let last = 0;
  let count = 0;
  return () => {
    const at = now();
    if (at > last) {
      last = at;
      count = 0;
    } else if (++count > 0xfff) {
      last++;
      count = 0;
    }
    const time = last.toString(16).padStart(12, "0");
    const random = randomBytes(8);
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
    const tail = random.toString("hex");
    const counter = count.toString(16).padStart(3, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}
