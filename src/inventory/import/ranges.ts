/** Expands Ansible host ranges: `sw[01:20]`, `sw[a:f]`, `sw[1:9:2]`. */
import { importLimits } from "./document.ts";

const maxParts = 8;

/** @returns the names, or an error message */
export function expandRange(pattern: string): string[] | string {
  let names = [""];
  let at = 0;
  let parts = 0;
  for (const range of pattern.matchAll(/\[([^[\]]*)\]/g)) {
    if (++parts > maxParts) return `a name has at most ${maxParts} ranges`;
    const before = pattern.slice(at, range.index);
    const values = rangeValues(range[1] ?? "");
    if (typeof values === "string") return values;
    if (names.length * values.length > importLimits.devices)
      return `the range is more than ${importLimits.devices} hosts`;
    names = names.flatMap((name) => values.map((value) => `${name}${before}${value}`));
    at = range.index + range[0].length;
  }
  const end = pattern.slice(at);
  if (/[[\]]/.test(end)) return "a range is not closed";
  return parts === 0 ? [pattern] : names.map((name) => name + end);
}

const shape = "a range must be like [01:20] or [a:f], with a step as in [1:9:2]";

function rangeValues(text: string): string[] | string {
  const [, from = "", to = "", step = "1"] =
    /^(\d{1,9}):(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ??
    /^([a-zA-Z]):([a-zA-Z])(?::(\d{1,9}))?$/.exec(text) ??
    [];
  if (from === "" || Number(step) < 1) return shape;
  const isNumber = /^\d/.test(from);
  const first = isNumber ? Number(from) : from.charCodeAt(0);
  const last = isNumber ? Number(to) : to.charCodeAt(0);
  if (last < first) return "the range ends before it begins";
  if ((last - first) / Number(step) >= importLimits.devices)
    return `the range is more than ${importLimits.devices} hosts`;
  const width = isNumber && from.startsWith("0") ? from.length : 0;
  const values: string[] = [];
  for (let at = first; at <= last; at += Number(step))
    values.push(isNumber ? String(at).padStart(width, "0") : String.fromCharCode(at));
  return values;
}
