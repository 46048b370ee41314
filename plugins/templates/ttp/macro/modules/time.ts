/** Python's `time` and the parts of `datetime` that macros use: now, formatting, parsing, differences. */
import { PyError, typeError, valueError } from "../../../python/errors.ts";
import { floatRepr } from "../../../python/floats.ts";
import { str } from "../../../python/repr.ts";
import {
  isInt,
  type Kwargs,
  type Operator,
  PyFloat,
  PyFunction,
  PyObject,
  typeName,
  type Value,
} from "../../../python/values.ts";
import { PyType } from "../types.ts";
import { makeModule, type PyModule } from "./module.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const pad = (value: number, width = 2): string => String(value).padStart(width, "0");

/** A moment whose fields are read as UTC: local time is moved there first. */
interface Moment {
  readonly ms: number;
  /** Below a millisecond. */
  readonly micro: number;
}

export function localMoment(now: Date): Moment {
  return { ms: now.getTime() - now.getTimezoneOffset() * 60_000, micro: 0 };
}

export function formatMoment(format: string, { ms, micro }: Moment): string {
  const date = new Date(ms);
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  const dayOfYear = Math.floor((ms - start) / 86_400_000) + 1;
  const hour = date.getUTCHours();
  const part: Readonly<Record<string, () => string>> = {
    Y: () => String(date.getUTCFullYear()),
    y: () => pad(date.getUTCFullYear() % 100),
    m: () => pad(date.getUTCMonth() + 1),
    d: () => pad(date.getUTCDate()),
    H: () => pad(hour),
    I: () => pad(hour % 12 || 12),
    M: () => pad(date.getUTCMinutes()),
    S: () => pad(date.getUTCSeconds()),
    f: () => pad(date.getUTCMilliseconds() * 1000 + micro, 6),
    p: () => (hour < 12 ? "AM" : "PM"),
    a: () => (DAYS[date.getUTCDay()] ?? "").slice(0, 3),
    A: () => DAYS[date.getUTCDay()] ?? "",
    b: () => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
    B: () => MONTHS[date.getUTCMonth()] ?? "",
    j: () => pad(dayOfYear, 3),
    w: () => String(date.getUTCDay()),
    u: () => String(date.getUTCDay() || 7),
    z: () => "",
    Z: () => "",
    F: () => `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`,
    T: () => `${pad(hour)}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`,
    s: () => String(Math.floor(ms / 1000)),
    "%": () => "%",
  };
  return format.replace(/%(.)/gs, (whole, letter: string) =>
    Object.hasOwn(part, letter) ? (part[letter]?.() ?? "") : whole,
  );
}

const FIELDS: Readonly<Record<string, string>> = {
  Y: "(?<Y>\\d{4})",
  y: "(?<y>\\d\\d)",
  m: "(?<m>1[0-2]|0?[1-9])",
  d: "(?<d>3[01]|[12]\\d|0?[1-9]| [1-9])",
  H: "(?<H>2[0-3]|[01]?\\d)",
  I: "(?<I>1[0-2]|0?[1-9])",
  M: "(?<M>[0-5]?\\d)",
  S: "(?<S>6[01]|[0-5]?\\d)",
  f: "(?<f>\\d{1,6})",
  p: "(?<p>AM|PM)",
  j: "(?<j>\\d{1,3})",
  a: `(?:${DAYS.map((one) => one.slice(0, 3)).join("|")})`,
  A: `(?:${DAYS.join("|")})`,
  b: `(?<b>${MONTHS.map((one) => one.slice(0, 3)).join("|")})`,
  B: `(?<B>${MONTHS.join("|")})`,
  "%": "%",
};

function parseMoment(text: string, format: string): Moment {
  const bad = () => valueError(`time data '${text}' does not match format '${format}'`);
  const source = format.replace(/%(.)|\s+|[\\^$.|?*+()[\]{}]/gs, (whole, letter: string | undefined) => {
    if (letter !== undefined) {
      const field = Object.hasOwn(FIELDS, letter) ? FIELDS[letter] : undefined;
      if (field === undefined) throw valueError(`'${letter}' is a bad directive in format '${format}'`);
      return field;
    }
    return /\s/.test(whole) ? "\\s+" : `\\${whole}`;
  });
  const found = new RegExp(`^${source}$`, "i").exec(text)?.groups;
  if (found === undefined) {
    if (!new RegExp(`^${source}$`, "i").test(text)) throw bad();
    return { ms: Date.UTC(1900, 0, 1), micro: 0 };
  }
  const number = (name: string, absent: number) => (found[name] === undefined ? absent : Number(found[name]));
  const short = number("y", -1);
  const year = short < 0 ? number("Y", 1900) : short + (short < 69 ? 2000 : 1900);
  const named = found.b ?? found.B;
  const month =
    named === undefined
      ? number("m", 1)
      : MONTHS.findIndex((one) => one.toLowerCase().startsWith(named.toLowerCase().slice(0, 3))) + 1;
  const hour =
    found.I === undefined ? number("H", 0) : (number("I", 12) % 12) + (/pm/i.test(found.p ?? "") ? 12 : 0);
  const day = found.j === undefined ? number("d", 1) : number("j", 1);
  const micro = Number((found.f ?? "0").padEnd(6, "0"));
  const ms =
    Date.UTC(year, found.j === undefined ? month - 1 : 0, day, hour, number("M", 0), number("S", 0)) +
    Math.floor(micro / 1000);
  if (found.j === undefined && new Date(ms).getUTCDate() !== day)
    throw valueError("day is out of range for month");
  return { ms, micro: micro % 1000 };
}

class PyDelta extends PyObject {
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
    const whole = Math.floor(rest);
    const micro = Math.round((rest - whole) * 1e6);
    const clock = `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
    const tail = micro === 0 ? "" : `.${pad(micro, 6)}`;
    return days === 0 ? clock + tail : `${days} day${Math.abs(days) === 1 ? "" : "s"}, ${clock}${tail}`;
  }
  override truth(): boolean {
    return this.seconds !== 0;
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
    if (typeof other === "number" && op === "*") return new PyDelta(this.seconds * other);
    return other instanceof PyDateTime ? other.binary(op, this, !reflected) : undefined;
  }
  override getattr(name: string): Value | undefined {
    const { days, rest } = this.split();
    if (name === "days") return days;
    if (name === "seconds") return Math.floor(rest);
    if (name === "microseconds") return Math.round((rest - Math.floor(rest)) * 1e6);
    return name === "total_seconds" ? new PyFunction(name, () => new PyFloat(this.seconds)) : undefined;
  }
}

class PyDateTime extends PyObject {
  override readonly typeName = "datetime.datetime";
  constructor(readonly moment: Moment) {
    super();
  }
  override str(): string {
    return formatMoment(this.fraction() ? "%Y-%m-%d %H:%M:%S.%f" : "%Y-%m-%d %H:%M:%S", this.moment);
  }
  private fraction(): boolean {
    return this.moment.ms % 1000 !== 0 || this.moment.micro !== 0;
  }
  override equals(other: Value): boolean {
    return other instanceof PyDateTime && this.compare(other) === 0;
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDateTime)) return undefined;
    return this.moment.ms - other.moment.ms || this.moment.micro - other.moment.micro;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (other instanceof PyDelta && (op === "+" || (op === "-" && !reflected))) {
      const shift = (op === "+" ? other.seconds : -other.seconds) * 1000;
      return new PyDateTime({ ms: this.moment.ms + shift, micro: this.moment.micro });
    }
    if (other instanceof PyDateTime && op === "-")
      return new PyDelta((this.moment.ms - other.moment.ms) / 1000);
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
    switch (name) {
      case "strftime":
        return new PyFunction(name, ([format = ""], _kwargs, meter) =>
          formatMoment(str(format, meter), moment),
        );
      case "isoformat":
        return new PyFunction(name, () => this.str().replace(" ", "T"));
      case "timestamp":
        return new PyFunction(
          name,
          () => new PyFloat((moment.ms + new Date().getTimezoneOffset() * 60_000) / 1000),
        );
      case "weekday":
        return new PyFunction(name, () => (date.getUTCDay() + 6) % 7);
      case "isoweekday":
        return new PyFunction(name, () => date.getUTCDay() || 7);
    }
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = {
  days: 86_400,
  seconds: 1,
  microseconds: 1e-6,
  milliseconds: 1e-3,
  minutes: 60,
  hours: 3600,
  weeks: 604_800,
};

function numberOf(value: Value): number {
  if (isInt(value)) return Number(value);
  if (value instanceof PyFloat) return value.value;
  throw typeError(`unsupported type for timedelta: ${typeName(value)}`);
}

function makeDelta(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  let seconds = 0;
  Object.entries(UNITS).forEach(([unit, size], i) => {
    const value = args[i] ?? kwargs?.get(unit);
    if (value !== undefined) seconds += numberOf(value) * size;
  });
  return new PyDelta(seconds);
}

function makeDateTime(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const part = (at: number, name: string, absent: number) => Number(args[at] ?? kwargs?.get(name) ?? absent);
  const micro = part(6, "microsecond", 0);
  const ms = Date.UTC(
    part(0, "year", 1),
    part(1, "month", 1) - 1,
    part(2, "day", 1),
    part(3, "hour", 0),
    part(4, "minute", 0),
    part(5, "second", 0),
  );
  if (!Number.isFinite(ms)) throw valueError("a part of the date is out of range");
  return new PyDateTime({ ms: ms + Math.floor(micro / 1000), micro: micro % 1000 });
}

export function createDatetime(now: () => Date): PyModule {
  const utc = () => new PyDateTime({ ms: now().getTime(), micro: 0 });
  const local = () => new PyDateTime(localMoment(now()));
  const fromTimestamp = (value: Value) => new PyDateTime(localMoment(new Date(numberOf(value) * 1000)));
  const fn = (name: string, body: (args: readonly Value[]) => Value) => new PyFunction(name, body);
  const datetime = new PyType("datetime.datetime", (value) => value instanceof PyDateTime, makeDateTime, {
    now: fn("now", local),
    today: fn("today", local),
    utcnow: fn("utcnow", utc),
    fromtimestamp: fn("fromtimestamp", ([value = 0]) => fromTimestamp(value)),
    strptime: new PyFunction(
      "strptime",
      ([text = "", format = ""], _kwargs, meter) =>
        new PyDateTime(parseMoment(str(text, meter), str(format, meter))),
    ),
    fromisoformat: fn("fromisoformat", ([text = ""]) => {
      const match = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.exec(
        typeof text === "string" ? text : "",
      );
      if (match === null) throw valueError(`Invalid isoformat string: '${String(text)}'`);
      return new PyDateTime({
        ms: Date.parse(`${match[0].replace(" ", "T")}${match[0].length > 10 ? "" : "T00:00"}Z`),
        micro: 0,
      });
    }),
  });
  const timedelta = new PyType("datetime.timedelta", (value) => value instanceof PyDelta, makeDelta);
  return makeModule("datetime", {}, { datetime, timedelta });
}

export function createTime(now: () => Date): PyModule {
  return makeModule("time", {
    time: () => new PyFloat(now().getTime() / 1000),
    time_ns: () => BigInt(now().getTime()) * 1_000_000n,
    strftime: ([format = ""], _kwargs, meter) => formatMoment(str(format, meter), localMoment(now())),
    sleep: () => {
      throw new PyError("RuntimeError", "macros can't sleep");
    },
    ctime: () => formatMoment("%a %b %d %H:%M:%S %Y", localMoment(now())),
    perf_counter: () => new PyFloat(Number(floatRepr(now().getTime() / 1000))),
  });
}
