/** Filters for moments: strftime and to_datetime. */
import { PyDateTime } from "../../python/datetime.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { formatMoment, localMoment, pad, parseMoment, type Zone } from "../../python/moment.ts";
import { parseFloatText } from "../../python/numbers.ts";
import { isInt, isText, PyFloat, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import { type Entry, filter, flag, plainText } from "../filters/define.ts";

/** The last millisecond that a JavaScript date can hold. */
const LAST_MS = 8.64e15;

function secondsOf(value: Value): number {
  if (isInt(value)) return Number(value);
  if (value instanceof PyFloat) return value.value;
  const number = isText(value) ? parseFloatText(textOf(value)) : undefined;
  if (number !== undefined) return number;
  throw new PyError(
    "AnsibleFilterError",
    `'${isText(value) ? textOf(value) : typeName(value)}' is no time in seconds`,
  );
}

function localZone(date: Date): Zone {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}${pad(size % 60)}`;
  return { offset, name: offset === "+0000" ? "UTC" : offset };
}

export const dateFilters: readonly Entry[] = [
  filter("strftime", ["second?", "utc?"], (value, [second = null, utc], context) => {
    if (value instanceof Undefined) return value.fail();
    const ms = second === null ? Date.now() : Math.floor(secondsOf(second)) * 1000;
    if (!(Math.abs(ms) <= LAST_MS)) throw new PyError("OverflowError", "timestamp out of range");
    const date = new Date(ms);
    const text = plainText(value, context);
    return flag(utc)
      ? formatMoment(text, { ms, micro: 0 }, { offset: "+0000", name: "GMT" })
      : formatMoment(text, localMoment(date), localZone(date));
  }),
  filter("to_datetime", ["format?"], (value, [format = "%Y-%m-%d %H:%M:%S"], context) => {
    if (value instanceof Undefined) return value.fail();
    if (!isText(value)) throw typeError(`a date is given as text, not ${typeName(value)}`);
    return new PyDateTime(parseMoment(textOf(value), plainText(format, context)));
  }),
];
