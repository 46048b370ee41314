/** `uptimeparse`: parses years, weeks, days, hours, minutes and seconds in words. */

import { compilePython, IGNORECASE, PyDict, toInt, toInteger } from "../../../python/index.ts";
import { keep, type Outcome } from "../../run/runtime.ts";
import { functions, text } from "../functions.ts";

const UNITS: readonly (readonly [name: string, amount: string, words: string, seconds: number])[] = [
  ["years", "\\d+", "ys?|yrs?.?|years?", 365 * 86_400],
  ["months", "\\d+", "mos?.?|mths?.?|months?", 30 * 86_400],
  ["weeks", "[\\d.]+", "w|wks?|weeks?", 7 * 86_400],
  ["days", "[\\d.]+", "d|dys?|days?", 86_400],
  ["hours", "[\\d.]+", "h|hrs?|hours?", 3600],
  ["mins", "[\\d.]+", "m|(?:mins?)|(?:minutes?)", 60],
  ["secs", "[\\d.]+", "s|secs?|seconds?", 1],
];

const SOURCE = UNITS.map(([name, amount, words]) => {
  const unit = `(?P<${name}>${amount})\\s*(?:${words})`;
  return name === "secs" ? `(?:${unit})?` : `(?:${unit}\\s*(?:[,/]\\s*)?)?`;
}).join("\\s*");
const UPTIME = compilePython(`\\s*${SOURCE}\\s*$`, { flags: IGNORECASE });

export const uptimeFunctions = functions<Outcome>({
  "uptimeparse(format?)": (data, [format = "seconds"]) => {
    const match = UPTIME.match(text(data, "data"));
    if (match === null || match.group()?.trim() === "") return keep(data);
    const units = [...match.groupdict()].filter((entry): entry is [string, string] => entry[1] !== null);
    if (!units.every(([, amount]) => /^\p{Nd}+$/u.test(amount))) return keep(data);
    if (format === "dict") return keep(PyDict.from(units));
    if (format !== "seconds") return keep(data);
    let total = 0n;
    for (const [name, amount] of units)
      total += BigInt(toInteger(amount)) * BigInt(UNITS.find(([unit]) => unit === name)?.[3] ?? 0);
    return keep(toInt(total));
  },
});
