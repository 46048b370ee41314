/** Ansible's host patterns: `sw[01:20]`, `sw[a:f]`, `sw[1:9:2]`, with a port: `r1:2022`, `[2001:db8::5]:2022`. */
import { inventoryTextLimits } from "patchbay/plugin";

const maxParts = 8;
/** A warning: Ansible takes such a range without one. */
export const emptyRange = "a range that ends before it begins names no host";

export interface HostPattern {
  /** None, if a range ends before it begins. */
  readonly names: readonly string[];
  readonly port?: number;
}

/** @returns the hosts, or an error message */
export function readHostPattern(text: string): HostPattern | string {
  const { pattern, port } = splitPort(text);
  if (port !== undefined && (port < 1 || port > 65_535)) return "the port must be a number from 1 to 65535";
  const names = isAddress(pattern) ? [pattern] : expandRange(pattern);
  if (typeof names === "string") return names;
  return { names, ...(port === undefined ? {} : { port }) };
}

function splitPort(text: string): { pattern: string; port?: number } {
  const [, bracketed, bracketedPort] = /^\[([^[\]]+)\](?::(\d{1,5}))?$/.exec(text) ?? [];
  // Any other colon within brackets is that of a range.
  if (bracketed !== undefined && (isAddress(bracketed) || !bracketed.includes(":")))
    return { pattern: bracketed, ...(bracketedPort === undefined ? {} : { port: Number(bracketedPort) }) };
  const [, pattern, port] = /^((?:[^:[\]]|\[[^\]]*\])+):(\d{1,5})$/.exec(text) ?? [];
  return pattern === undefined ? { pattern: text } : { pattern, port: Number(port) };
}

/** An IPv6 address; a range has at most two colons, and not side by side. */
const isAddress = (text: string): boolean =>
  /^[\da-f:.]*(?:%[\w.-]+)?$/i.test(text) && (text.includes("::") || text.split(":").length > 3);

/** @returns the names, or an error message */
function expandRange(pattern: string): string[] | string {
  let names = [""];
  let at = 0;
  let parts = 0;
  for (const range of pattern.matchAll(/\[([^[\]]*)\]/g)) {
    if (++parts > maxParts) return `a name has at most ${maxParts} ranges`;
    const before = pattern.slice(at, range.index);
    const values = rangeValues(range[1] ?? "");
    if (typeof values === "string") return values;
    if (names.length * values.length > inventoryTextLimits.devices)
      return `the range is more than ${inventoryTextLimits.devices} hosts`;
    names = names.flatMap((name) => values.map((value) => `${name}${before}${value}`));
    at = range.index + range[0].length;
  }
  const end = pattern.slice(at);
  if (/[[\]]/.test(end)) return "a range is not closed";
  return parts === 0 ? [pattern] : names.map((name) => name + end);
}

const shape = "a range must be like [01:20] or [a:f], with a step as in [1:9:2]";
/** Python's order of letters, in which a range may go from `a` to `Z`. */
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

function rangeValues(text: string): string[] | string {
  const [, from = "0", to = "", step = "1"] =
    /^(\d{1,9})?:(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ??
    /^([a-zA-Z]):([a-zA-Z])(?::(\d{1,9}))?$/.exec(text) ??
    [];
  if (to === "" || Number(step) < 1) return shape;
  const isNumber = /^\d/.test(to);
  const first = isNumber ? Number(from) : letters.indexOf(from);
  const last = isNumber ? Number(to) : letters.indexOf(to);
  const width = isNumber && from.length > 1 && from.startsWith("0") ? from.length : 0;
  if (width > 0 && to.length !== width) return "a range with leading zeros needs ends of the same length";
  if (!isNumber && last < first) return "the range ends before it begins";
  if ((last - first) / Number(step) >= inventoryTextLimits.devices)
    return `the range is more than ${inventoryTextLimits.devices} hosts`;
  const values: string[] = [];
  for (let at = first; at <= last; at += Number(step))
    values.push(isNumber ? String(at).padStart(width, "0") : letters.charAt(at));
  return values;
}
