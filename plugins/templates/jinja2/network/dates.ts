/** Date filters: strftime and to_datetime. */

import {
  formatMoment,
  isInt,
  isText,
  localMoment,
  PyDateTime,
  PyError,
  PyFloat,
  pad,
  parseFloatText,
  parseMoment,
  textOf,
  typeName,
  type Value,
  type Zone,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError, onlyText, plainText } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

/** The largest timestamp of a JavaScript Date. */
const LAST_MS = 8.64e15;

function secondsOf(value: Value): number {
  if (isInt(value)) return Number(value);
  if (value instanceof PyFloat) return value.value;
  const number = isText(value) ? parseFloatText(textOf(value)) : undefined;
  if (number !== undefined) return number;
  throw filterError(`'${isText(value) ? textOf(value) : typeName(value)}' is not a time in seconds`);
}

function localZone(date: Date): Zone {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}${pad(size % 60)}`;
  return { offset, name: offset === "+0000" ? "UTC" : offset };
}

function formatted(value: Value, second: Value, utc: boolean, context: FilterContext): string {
  const ms = second === null ? Date.now() : Math.floor(secondsOf(second)) * 1000;
  if (!(Math.abs(ms) <= LAST_MS)) throw new PyError("OverflowError", "timestamp out of range");
  const date = new Date(ms);
  const text = plainText(value, context);
  return utc
    ? formatMoment(text, { ms, micro: 0 }, { offset: "+0000", name: "GMT" })
    : formatMoment(text, localMoment(date), localZone(date));
}

export const dateFilters: FilterEntries = [
  define("strftime", "defined", "second = none, utc: flag = false", formatted),
  define(
    "to_datetime",
    onlyText("a date is given as text"),
    "format: text = '%Y-%m-%d %H:%M:%S'",
    (text, format) => new PyDateTime(parseMoment(text, format)),
  ),
].flat();
