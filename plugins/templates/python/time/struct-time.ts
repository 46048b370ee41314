/** Python's `time.struct_time`: nine numbers, by index or by name. */
import type { Meter } from "../limits.ts";
import { repr } from "../text/repr.ts";
import { getItem } from "../values/slice.ts";
import { PyObject, PyTuple, type Value } from "../values/values.ts";
import type { Moment } from "./moment.ts";

const NAMES = "tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst".split(" ");

export class PyTime extends PyObject {
  override readonly typeName = "time.struct_time";
  private readonly parts: readonly number[];
  /** @param isDst 1, 0, or -1 if unknown. */
  constructor(
    readonly moment: Moment,
    isDst: number,
  ) {
    super();
    const date = new Date(moment.ms);
    const start = new Date(0);
    start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
    const dayOfYear = Math.floor((moment.ms - start.getTime()) / 86_400_000) + 1;
    const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
    const day = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    this.parts = [...day, ...clock, (date.getUTCDay() + 6) % 7, dayOfYear, isDst];
  }
  override repr(meter: Meter): string {
    const shown = NAMES.map((name, i) => `${name}=${repr(this.parts[i] ?? 0, meter)}`);
    return `time.struct_time(${shown.join(", ")})`;
  }
  override length(): number {
    return this.parts.length;
  }
  override iterate(): Iterator<Value> {
    return this.parts.values();
  }
  override getitem(key: Value, meter: Meter): Value | undefined {
    return getItem(new PyTuple([...this.parts]), key, meter);
  }
  override equals(other: Value): boolean {
    return other instanceof PyTime && other.parts.every((part, i) => part === this.parts[i]);
  }
  override getattr(name: string): Value | undefined {
    return this.parts[NAMES.indexOf(name)];
  }
}
