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
import { formatMoment, localMoment, type Moment, pad, parseMoment } from "./moment.ts";

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
