/** Python's `time` and the parts of `datetime` that macros use: current time, formatting, parsing, differences. */

import { PyDateTime, PyDelta } from "../../../python/datetime.ts";
import { PyError, typeError, valueError } from "../../../python/errors.ts";
import { floatRepr } from "../../../python/floats.ts";
import { formatMoment, localMoment, parseMoment } from "../../../python/moment.ts";
import { str } from "../../../python/repr.ts";
import { isInt, type Kwargs, PyFloat, PyFunction, typeName, type Value } from "../../../python/values.ts";
import { PyType } from "../types.ts";
import { makeModule, type PyModule } from "./module.ts";

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
