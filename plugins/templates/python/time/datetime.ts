/** Python's datetime, date, time and timedelta: arithmetic, comparison, formatting. */

import { PyError, typeError, valueError, zeroDivision } from "../errors.ts";
import { str } from "../text/repr.ts";
import { bound, methods } from "../values/args.ts";
import {
  type Kwargs,
  type Operator,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  typeName,
  type Value,
} from "../values/values.ts";
import { checkedMoment, formatMoment, isoWeek, type Moment, pad } from "./moment.ts";
import { PyTime } from "./struct-time.ts";

export class PyDelta extends PyObject {
  override readonly typeName = "datetime.timedelta";
  constructor(readonly seconds: number) {
    super();
  }
  private split() {
    const days = Math.floor(this.seconds / 86_400);
    return { days, rest: this.seconds - days * 86_400 };
  }
  override str(): string {
    const { days, rest } = this.split();
    const wholeSeconds = Math.floor(rest);
    const micro = Math.round((rest - wholeSeconds) * 1e6);
    const clock = `${Math.floor(wholeSeconds / 3600)}:${pad(Math.floor(wholeSeconds / 60) % 60)}:${pad(wholeSeconds % 60)}`;
    const tail = micro === 0 ? "" : `.${pad(micro, 6)}`;
    return days === 0 ? clock + tail : `${days} day${Math.abs(days) === 1 ? "" : "s"}, ${clock}${tail}`;
  }
  override repr(): string {
    const { days, rest } = this.split();
    const seconds = Math.floor(rest);
    const parts = { days, seconds, microseconds: Math.round((rest - seconds) * 1e6) };
    const fields = Object.entries(parts).flatMap(([name, value]) =>
      value === 0 ? [] : [`${name}=${value}`],
    );
    return `datetime.timedelta(${fields.join(", ") || "0"})`;
  }
  override truth(): boolean {
    return this.seconds !== 0;
  }
  override negative(): Value {
    return new PyDelta(-this.seconds);
  }
  override hash(): string {
    return `datetime.timedelta ${this.seconds}`;
  }
  override equals(other: Value): boolean {
    return other instanceof PyDelta && other.seconds === this.seconds;
  }
  override compare(other: Value): number | undefined {
    return other instanceof PyDelta ? this.seconds - other.seconds : undefined;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (other instanceof PyDelta && op === "+") return new PyDelta(this.seconds + other.seconds);
    if (other instanceof PyDelta && op === "-") return new PyDelta(this.seconds - other.seconds);
    const number = typeof other === "number" ? other : other instanceof PyFloat ? other.value : undefined;
    if (number !== undefined && op === "*") return new PyDelta(this.rounded(this.seconds * number));
    if (reflected) return isDay(other) ? other.binary(op, this, false) : undefined;
    if (op === "/" || op === "//" || op === "%") return this.divided(op, other, number);
    return isDay(other) ? other.binary(op, this, !reflected) : undefined;
  }
  /** To microseconds, which is what Python keeps. */
  private rounded(seconds: number): number {
    return Math.round(seconds * 1e6) / 1e6;
  }
  private divided(op: "/" | "//" | "%", other: Value, number: number | undefined): Value | undefined {
    const by = other instanceof PyDelta ? other.seconds : number;
    if (by === undefined || (other instanceof PyFloat && op !== "/")) return undefined;
    if (!(other instanceof PyDelta) && op === "%") return undefined;
    if (by === 0) throw zeroDivision("integer division or modulo by zero");
    if (!(other instanceof PyDelta)) {
      const part = this.seconds / by;
      return new PyDelta(op === "/" ? this.rounded(part) : Math.floor(part * 1e6) / 1e6);
    }
    if (op === "/") return new PyFloat(this.seconds / by);
    const times = Math.floor(this.seconds / by);
    return op === "//" ? times : new PyDelta(this.rounded(this.seconds - times * by));
  }
  override getattr(name: string): Value | undefined {
    const { days, rest } = this.split();
    if (name === "days") return days;
    if (name === "seconds") return Math.floor(rest);
    if (name === "microseconds") return Math.round((rest - Math.floor(rest)) * 1e6);
    return name === "total_seconds" ? new PyFunction(name, () => new PyFloat(this.seconds)) : undefined;
  }
}

/** A date, a time, or both: equal and ordered among its own kind only. */
abstract class PointInTime extends PyObject {
  abstract readonly moment: Moment;
  override hash(): string {
    return `${this.typeName} ${this.moment.ms} ${this.moment.micro}`;
  }
  override equals(other: Value): boolean {
    return this.compare(other) === 0;
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof PointInTime) || other.typeName !== this.typeName) return undefined;
    return this.moment.ms - other.moment.ms || this.moment.micro - other.moment.micro;
  }
}

export class PyDateTime extends PointInTime {
  override readonly typeName = "datetime.datetime";
  constructor(readonly moment: Moment) {
    super();
  }
  override str(): string {
    return `${formatDate(this.moment)} ${isoClock(this.moment, "auto")}`;
  }
  override repr(): string {
    const date = new Date(this.moment.ms);
    const micro = date.getUTCMilliseconds() * 1000 + this.moment.micro;
    const parts = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
    parts.push(date.getUTCMinutes());
    if (date.getUTCSeconds() !== 0 || micro !== 0) parts.push(date.getUTCSeconds());
    if (micro !== 0) parts.push(micro);
    return `datetime.datetime(${parts.join(", ")})`;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    const { ms, micro } = this.moment;
    if (other instanceof PyDelta && (op === "+" || (op === "-" && !reflected))) {
      const sum = micro + Math.round((op === "+" ? other.seconds : -other.seconds) * 1e6);
      const carry = Math.floor(sum / 1000);
      return new PyDateTime({ ms: ms + carry, micro: sum - carry * 1000 });
    }
    if (other instanceof PyDateTime && op === "-")
      return new PyDelta(((ms - other.moment.ms) * 1000 + micro - other.moment.micro) / 1e6);
    return undefined;
  }
  override getattr(name: string): Value | undefined {
    const { moment } = this;
    const date = new Date(moment.ms);
    const field: Readonly<Record<string, number>> = {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      microsecond: date.getUTCMilliseconds() * 1000 + moment.micro,
    };
    if (Object.hasOwn(field, name)) return field[name];
    if (name === "tzinfo") return null;
    if (name === "replace")
      return new PyFunction(
        name,
        (args, kwargs) => new PyDateTime(checkedMoment(replacedParts(field, args, kwargs))),
      );
    return bound(dateTimeMethods, this, name);
  }
}

/** @param field the parts in order. */
function replacedParts(
  field: Readonly<Record<string, number>>,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): number[] {
  const unknown = [...(kwargs?.keys() ?? [])].find((name) => !Object.hasOwn(field, name));
  if (unknown !== undefined) throw typeError(`'${unknown}' is an invalid keyword argument for replace()`);
  return Object.entries(field).map(([name, part], i) => {
    const given = args[i] ?? kwargs?.get(name) ?? part;
    if (typeof given === "number") return given;
    throw typeError(`'${typeName(given)}' object cannot be interpreted as an integer`);
  });
}

const dayMs = 86_400_000;

/** A day of the calendar. */
export class PyDate extends PointInTime {
  override readonly typeName = "datetime.date";
  readonly moment: Moment;
  constructor({ ms }: Moment) {
    super();
    this.moment = { ms: Math.floor(ms / dayMs) * dayMs, micro: 0 };
  }
  override str(): string {
    return formatDate(this.moment);
  }
  override repr(): string {
    const { year, month, day } = partsOf(this.moment);
    return `datetime.date(${year}, ${month}, ${day})`;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (other instanceof PyDelta && (op === "+" || (op === "-" && !reflected))) {
      // Only the days of a difference count.
      const days = Math.floor(other.seconds / 86_400) * (op === "+" ? 1 : -1);
      return new PyDate(inRange({ ms: this.moment.ms + days * dayMs, micro: 0 }));
    }
    if (other instanceof PyDate && op === "-") return new PyDelta((this.moment.ms - other.moment.ms) / 1000);
    return undefined;
  }
  override getattr(name: string): Value | undefined {
    const { year, month, day } = partsOf(this.moment);
    const field = { year, month, day };
    if (name === "year") return year;
    if (name === "month") return month;
    if (name === "day") return day;
    if (name === "replace")
      return new PyFunction(
        name,
        (args, kwargs) => new PyDate(checkedMoment(replacedParts(field, args, kwargs))),
      );
    return bound(dateMethods, this, name);
  }
}

/** A time of day without a zone; its day is that of Python's `strftime`. */
export class PyClock extends PointInTime {
  override readonly typeName = "datetime.time";
  readonly moment: Moment;
  constructor({ ms, micro }: Moment) {
    super();
    this.moment = { ms: clockDay + (((ms % dayMs) + dayMs) % dayMs), micro };
  }
  override str(): string {
    return formatMoment(partsOf(this.moment).microsecond === 0 ? "%H:%M:%S" : "%H:%M:%S.%f", this.moment);
  }
  override repr(): string {
    const { hour, minute, second, microsecond } = partsOf(this.moment);
    const parts = [hour, minute];
    if (second !== 0 || microsecond !== 0) parts.push(second);
    if (microsecond !== 0) parts.push(microsecond);
    return `datetime.time(${parts.join(", ")})`;
  }
  override getattr(name: string): Value | undefined {
    const { hour, minute, second, microsecond } = partsOf(this.moment);
    const field: Readonly<Record<string, number>> = { hour, minute, second, microsecond };
    if (Object.hasOwn(field, name)) return field[name];
    if (name === "tzinfo") return null;
    if (name === "replace")
      return new PyFunction(name, (args, kwargs) => {
        const parts = replacedParts(field, args, kwargs);
        return new PyClock(checkedMoment([1900, 1, 1, ...parts]));
      });
    return bound(clockMethods, this, name);
  }
}

const clockDay = Date.UTC(1900, 0, 1);

/** The result of `isocalendar`. */
class IsoCalendar extends PyTuple {
  override get typeName(): string {
    return "datetime.IsoCalendarDate";
  }
  override get isPlain(): boolean {
    return false;
  }
  constructor({ ms }: Moment) {
    const date = new Date(ms);
    const { year, week } = isoWeek(date);
    super([year, week, date.getUTCDay() || 7]);
  }
  override repr(): string {
    const [year, week, weekday] = this.items;
    return `datetime.IsoCalendarDate(year=${String(year)}, week=${String(week)}, weekday=${String(weekday)})`;
  }
  override getattr(name: string): Value | undefined {
    return this.items[["year", "week", "weekday"].indexOf(name)];
  }
}

const isDay = (value: Value): value is PyDate | PyDateTime =>
  value instanceof PyDate || value instanceof PyDateTime;

/** The day and the time of day together. */
export function combined(day: PyDate | PyDateTime, time: PyClock): PyDateTime {
  const { ms } = new PyDate(day.moment).moment;
  return new PyDateTime({ ms: ms + time.moment.ms - clockDay, micro: time.moment.micro });
}

function partsOf({ ms, micro }: Moment) {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    microsecond: date.getUTCMilliseconds() * 1000 + micro,
  };
}

function formatDate(moment: Moment): string {
  const { year, month, day } = partsOf(moment);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

/** @throws OverflowError as Python */
function inRange(moment: Moment): Moment {
  const year = new Date(moment.ms).getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new PyError("OverflowError", "date value out of range");
  return moment;
}

const weekday = ({ moment }: { readonly moment: Moment }): number => new Date(moment.ms).getUTCDay();

const isoUnits: Readonly<Record<string, string>> = {
  hours: "%H",
  minutes: "%H:%M",
  seconds: "%H:%M:%S",
  microseconds: "%H:%M:%S.%f",
};

/** The time of day as `isoformat` writes it. */
function isoClock(moment: Moment, unit: Value): string {
  const { microsecond } = partsOf(moment);
  const named = unit === "auto" ? (microsecond === 0 ? "seconds" : "microseconds") : String(unit);
  if (named === "milliseconds")
    return `${formatMoment("%H:%M:%S", moment)}.${pad(Math.floor(microsecond / 1000), 3)}`;
  const format = Object.hasOwn(isoUnits, named) ? isoUnits[named] : undefined;
  if (format === undefined) throw valueError("Unknown timespec value");
  return formatMoment(format, moment);
}

const ctime = ({ moment }: { readonly moment: Moment }): string =>
  `${formatMoment("%a %b %e %H:%M:%S", moment)} ${pad(partsOf(moment).year, 4)}`;

const dateMethods = methods<PyDate | PyDateTime>({
  "isoformat()": (self) => formatDate(self.moment),
  "strftime(format)": ({ moment }, [format = ""], meter) => formatMoment(str(format, meter), moment),
  "ctime()": ctime,
  "timetuple()": ({ moment }) => new PyTime(moment, -1),
  "toordinal()": ({ moment }) => Math.floor(moment.ms / dayMs) + 719_163,
  "weekday()": (self) => (weekday(self) + 6) % 7,
  "isoweekday()": (self) => weekday(self) || 7,
  "isocalendar()": ({ moment }) => new IsoCalendar(moment),
});

const clockMethods = methods<PyClock>({
  "isoformat(timespec?)": ({ moment }, [unit = "auto"]) => isoClock(moment, unit),
  "strftime(format)": ({ moment }, [format = ""], meter) => formatMoment(str(format, meter), moment),
});

const dateTimeMethods = methods<PyDateTime>({
  "date()": ({ moment }) => new PyDate(moment),
  "time()": ({ moment }) => new PyClock(moment),
  "isocalendar()": ({ moment }) => new IsoCalendar(moment),
  "strftime(format)": ({ moment }, [format = ""], meter) => formatMoment(str(format, meter), moment),
  "isoformat(sep?, timespec?)": ({ moment }, [sep = "T", unit = "auto"], meter) =>
    formatDate(moment) + str(sep, meter) + isoClock(moment, unit),
  "ctime()": ctime,
  "timetuple()": ({ moment }) => new PyTime(moment, -1),
  "toordinal()": ({ moment }) => Math.floor(moment.ms / 86_400_000) + 719_163,
  "timestamp()": ({ moment }) => new PyFloat((moment.ms + new Date().getTimezoneOffset() * 60_000) / 1000),
  "weekday()": (self) => (weekday(self) + 6) % 7,
  "isoweekday()": (self) => weekday(self) || 7,
});
