/** Python's `time` and the parts of `datetime` that macros use: current time, formatting, parsing, differences. */

import {
  checkedMoment,
  combined,
  floatRepr,
  formatMoment,
  isInt,
  type Kwargs,
  localMoment,
  type Moment,
  PyClock,
  PyDate,
  PyDateTime,
  PyDelta,
  PyError,
  PyFloat,
  PyFunction,
  PyTime,
  PyTuple,
  parseMoment,
  str,
  typeError,
  typeName,
  type Value,
  valueError,
} from "../../../python/index.ts";
import { checked } from "../arguments.ts";
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

const PARTS = ["year", "month", "day", "hour", "minute", "second", "microsecond"];

function makeDateTime(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const fields = PARTS.map((name, i) => args[i] ?? kwargs?.get(name));
  const absent = PARTS.slice(0, 3).find((_, i) => fields[i] === undefined);
  if (absent !== undefined) throw typeError(`function missing required argument '${absent}'`);
  return new PyDateTime(checkedMoment(fields.map((field) => wholeOf(field ?? 0))));
}

function fieldsOf(names: readonly string[], args: readonly Value[], kwargs: Kwargs | undefined): number[] {
  return names.map((name, i) => wholeOf(args[i] ?? kwargs?.get(name) ?? 0));
}

function makeDate(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const names = PARTS.slice(0, 3);
  const absent = names.find((name, i) => (args[i] ?? kwargs?.get(name)) === undefined);
  if (absent !== undefined)
    throw typeError(`function missing required argument '${absent}' (pos ${names.indexOf(absent) + 1})`);
  return new PyDate(checkedMoment(fieldsOf(names, args, kwargs)));
}

const makeClock = (args: readonly Value[], kwargs: Kwargs | undefined): Value =>
  new PyClock(checkedMoment([1900, 1, 1, ...fieldsOf(PARTS.slice(3), args, kwargs)]));

function readIso(pattern: RegExp, text: Value, before: readonly number[]): Moment {
  const match = pattern.exec(typeof text === "string" ? text : "");
  if (match === null) throw valueError(`Invalid isoformat string: '${String(text)}'`);
  return checkedMoment([...before, ...match.slice(1).map((digits) => Number(digits ?? 0))]);
}

const isDay = (value: Value): value is PyDate | PyDateTime =>
  value instanceof PyDate || value instanceof PyDateTime;

function wholeOf(value: Value): number {
  if (isInt(value) || typeof value === "boolean") return Number(value);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

export function createDatetime(now: () => Date): PyModule {
  const utc = () => new PyDateTime({ ms: now().getTime(), micro: 0 });
  const local = () => new PyDateTime(localMoment(now()));
  const fromTimestamp = (value: Value) => new PyDateTime(localMoment(new Date(numberOf(value) * 1000)));
  const fn = (name: string, body: (args: readonly Value[]) => Value, parameters = "") =>
    new PyFunction(name, checked(name, body, parameters));
  const datetime = new PyType("datetime.datetime", (value) => value instanceof PyDateTime, makeDateTime, {
    now: fn("now", local),
    today: fn("today", local),
    utcnow: fn("utcnow", utc),
    fromtimestamp: fn("fromtimestamp", ([value = 0]) => fromTimestamp(value), "timestamp"),
    strptime: new PyFunction(
      "strptime",
      checked(
        "strptime",
        ([text = "", format = ""], _kwargs, meter) =>
          new PyDateTime(parseMoment(str(text, meter), str(format, meter))),
        "date_string, format, /",
      ),
    ),
    utcfromtimestamp: fn(
      "utcfromtimestamp",
      ([value = 0]) => new PyDateTime({ ms: Math.floor(numberOf(value) * 1000), micro: 0 }),
      "timestamp, /",
    ),
    combine: fn(
      "combine",
      ([day = null, clock = null]) => {
        if (!isDay(day)) throw typeError(`combine() argument 1 must be datetime.date, not ${typeName(day)}`);
        if (!(clock instanceof PyClock))
          throw typeError(`combine() argument 2 must be datetime.time, not ${typeName(clock)}`);
        return combined(day, clock);
      },
      "date, time",
    ),
    fromisoformat: fn(
      "fromisoformat",
      ([text = ""]) => {
        const match =
          /^(\d{4})-?(\d\d)-?(\d\d)(?:[^\d](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?)?)?$/.exec(
            typeof text === "string" ? text : "",
          );
        if (match === null) throw valueError(`Invalid isoformat string: '${String(text)}'`);
        const parts = match
          .slice(1)
          .map((digits, i) => Number(i === 6 ? (digits ?? "").padEnd(6, "0") : (digits ?? 0)));
        return new PyDateTime(checkedMoment(parts));
      },
      "date_string, /",
    ),
  });
  const date = new PyType("datetime.date", isDay, makeDate, {
    today: fn("today", () => new PyDate(localMoment(now()))),
    fromtimestamp: fn(
      "fromtimestamp",
      ([value = 0]) => new PyDate(localMoment(new Date(numberOf(value) * 1000))),
      "timestamp, /",
    ),
    fromordinal: fn(
      "fromordinal",
      ([value = 1]) => new PyDate({ ms: (wholeOf(value) - 719_163) * 86_400_000, micro: 0 }),
      "ordinal, /",
    ),
    fromisoformat: fn(
      "fromisoformat",
      ([text = ""]) => new PyDate(readIso(/^(\d{4})-?(\d\d)-?(\d\d)$/, text, [])),
      "date_string, /",
    ),
  });
  const time = new PyType("datetime.time", (value) => value instanceof PyClock, makeClock, {
    fromisoformat: fn(
      "fromisoformat",
      ([text = ""]) => new PyClock(readIso(/^(\d\d)(?::(\d\d)(?::(\d\d))?)?$/, text, [1900, 1, 1])),
      "time_string, /",
    ),
  });
  const timedelta = new PyType("datetime.timedelta", (value) => value instanceof PyDelta, makeDelta);
  return makeModule("datetime", {}, { datetime, date, time, timedelta });
}

/** A local time without an argument is the current one. */
export function createTime(now: () => Date): PyModule {
  const dateOf = (seconds: Value = null): Date =>
    seconds === null ? now() : new Date(Math.floor(numberOf(seconds) * 1000));
  const utc = (seconds?: Value): Moment => ({ ms: dateOf(seconds).getTime(), micro: 0 });
  const local = (seconds?: Value): Moment => localMoment(dateOf(seconds));
  const momentOf = (time: Value | undefined): Moment => (time === undefined ? local() : readTime(time));
  const ASCTIME = "%a %b %e %H:%M:%S %Y";
  return makeModule(
    "time",
    {
      time: () => new PyFloat(now().getTime() / 1000),
      time_ns: () => BigInt(now().getTime()) * 1_000_000n,
      gmtime: ([seconds]) => new PyTime(utc(seconds), 0),
      localtime: ([seconds]) => new PyTime(local(seconds), 0),
      mktime: ([time = null]) => {
        const { ms } = readTime(time);
        return new PyFloat((ms + new Date(ms).getTimezoneOffset() * 60_000) / 1000);
      },
      strptime: ([text = "", format = ASCTIME.replace("%e", "%d")], _kwargs, meter) =>
        new PyTime(parseMoment(str(text, meter), str(format, meter)), -1),
      strftime: ([format = "", time], _kwargs, meter) => formatMoment(str(format, meter), momentOf(time)),
      asctime: ([time]) => formatMoment(ASCTIME, momentOf(time)),
      ctime: ([seconds]) => formatMoment(ASCTIME, local(seconds)),
      sleep: () => {
        throw new PyError("RuntimeError", "macros can't sleep");
      },
      ...Object.fromEntries(
        ["perf_counter", "monotonic", "process_time"].map((name) => [
          name,
          () => new PyFloat(Number(floatRepr(now().getTime() / 1000))),
        ]),
      ),
    },
    {},
    {
      ...{ gmtime: "seconds, /", localtime: "seconds, /", mktime: "t, /", strptime: "string, format, /" },
      ...{ strftime: "format, t, /", asctime: "t, /", ctime: "seconds, /" },
    },
  );
}

/** A time of `gmtime` and its kin, or a tuple of nine numbers. */
function readTime(time: Value): Moment {
  if (time instanceof PyTime) return time.moment;
  const parts = time instanceof PyTuple ? time.items.map((item) => numberOf(item)) : [];
  if (parts.length !== 9) throw typeError("Tuple or struct_time argument required");
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  return { ms: Date.UTC(year, month - 1, day, hour, minute, second), micro: 0 };
}
