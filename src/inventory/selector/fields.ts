/** The fields of selectors, and how each is compared with a device. */

import type { DeviceFacts } from "../../api/inventory/facts.ts";
import { isRecord } from "../../base/json/members.ts";
import { type Host, hostOf, readHostPattern } from "../../base/net/host-match.ts";
import { anyChars, globOf, type StepCount } from "../../base/regex/glob.ts";
import type { EffectiveDevice } from "../port.ts";
import { type SelectorValue, selectorFault } from "./words.ts";

/** The part of an effective device that selectors use. */
export type SelectableDevice = Pick<
  EffectiveDevice,
  | "name"
  | "host"
  | "platform"
  | "driver"
  | "site"
  | "role"
  | "tags"
  | "group"
  | "groups"
  | "enabled"
  | "credential"
  | "vars"
>;

/** @param facts discovered facts, if the selector uses them and they are known. */
export type Matches = (device: SelectableDevice, facts?: DeviceFacts) => boolean;

interface Term {
  readonly field: string;
  readonly position: number;
  readonly values: readonly SelectorValue[];
}

/** Returns the values to compare; one match is enough. */
const textFields: Readonly<Record<string, (device: SelectableDevice) => readonly string[] | string | null>> =
  {
    name: ({ name }) => name,
    platform: ({ platform }) => platform,
    driver: ({ driver }) => driver,
    site: ({ site }) => site,
    role: ({ role }) => role,
    tag: ({ tags }) => tags,
    group: ({ groups }) => groups,
    credential: ({ credential }) => credentialText(credential),
  };

/** Facts reported by the device itself: never used to decide what a key may reach. */
const factFields = ["version", "model", "serial", "vendor", "os"] as const;
type FactField = (typeof factFields)[number];

export const selectorFields: readonly string[] = [
  ...Object.keys(textFields),
  ...factFields,
  "host",
  "enabled",
  "var.<name>",
];

/** @throws ServiceError Validation */
export function matcherOf(term: Term, path: string, count: StepCount): Matches {
  const field = term.field.toLowerCase();
  if (field === "host") return hostMatcher(term, path, count);
  if (field === "enabled") return enabledMatcher(term, path);
  if (field.startsWith("var.")) return varMatcher(term, path, count);
  const fact = factNamed(field);
  if (fact) return factMatcher(fact, term, count);
  const read = Object.hasOwn(textFields, field) ? textFields[field] : undefined;
  if (!read) {
    const message = `there is no field "${term.field.slice(0, 64)}": a selector knows ${selectorFields.join(", ")}`;
    throw selectorFault(path, message, term.position);
  }
  const fits = fitsAny(term.values, count);
  return (device) => {
    const value = read(device);
    if (value === null) return false;
    return typeof value === "string" ? fits(value) : value.some(fits);
  };
}

function factNamed(field: string): FactField | undefined {
  return factFields.find((name) => name === field);
}

/** Whether the term uses discovered facts. */
export function asksFact({ field }: Term): boolean {
  return factNamed(field.toLowerCase()) !== undefined;
}

function factMatcher(fact: FactField, { values }: Term, count: StepCount): Matches {
  const fits = fitsAny(values, count);
  return (_device, facts) => {
    const text = facts?.[fact];
    return text !== undefined && fits(text);
  };
}

function hostMatcher({ values }: Term, path: string, count: StepCount): Matches {
  const fits = fitsHost(values, count);
  if (typeof fits === "function") return ({ host }) => fits(host);
  const message = `"${fits.wrong.text.slice(0, 64)}" is not a range of addresses: write an address, "/" and a number`;
  throw selectorFault(path, message, fits.wrong.position);
}

function enabledMatcher({ values }: Term, path: string): Matches {
  const allowed = new Set<boolean>();
  for (const { text, position } of values) {
    const value = text.toLowerCase();
    if (value !== "true" && value !== "false" && value !== "*")
      throw selectorFault(path, '"enabled:" takes true, false or *', position);
    if (value !== "false") allowed.add(true);
    if (value !== "true") allowed.add(false);
  }
  return ({ enabled }) => allowed.has(enabled);
}

/** Whether the term explicitly selects disabled devices. */
export function asksDisabled({ field, values }: Term): boolean {
  return field.toLowerCase() === "enabled" && values.some(({ text }) => text.toLowerCase() !== "true");
}

function varMatcher({ field, values, position }: Term, path: string, count: StepCount): Matches {
  const steps = field.slice("var.".length).toLowerCase().split(".");
  if (steps.some((step) => step === ""))
    throw selectorFault(path, '"var." needs the name of a variable, such as var.ntp:10.0.0.1', position);
  const fits = fitsAny(values, count);
  return ({ vars }) => leavesOf(vars, steps, count).some((leaf) => fits(leaf));
}

/** The values of a variable as text: of a list those of its items; an object exists but has no text. */
function leavesOf(vars: unknown, steps: readonly string[], count: StepCount): string[] {
  let at: unknown = vars;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || Array.isArray(at)) return [];
    const entries = Object.entries(at);
    count.steps += 1 + entries.length;
    const entry = entries.find(([name]) => name.toLowerCase() === step);
    if (!entry) return [];
    at = entry[1];
  }
  if (at === undefined || at === null) return [];
  return (Array.isArray(at) ? at : [at]).map((leaf: unknown) =>
    isRecord(leaf) || Array.isArray(leaf) ? "{}" : String(leaf),
  );
}

/** `<source>:<ref>`. */
function credentialText(credential: unknown): string | null {
  if (typeof credential !== "object" || credential === null || !("name" in credential)) return null;
  const ref = "ref" in credential ? credential.ref : undefined;
  return typeof ref === "string" ? `${String(credential.name)}:${ref}` : String(credential.name);
}

/** Matches a text against the values of a selector, and counts what that takes. */
type FitsText = (text: string) => boolean;

/** Longer texts match `*` only, which bounds the work. */
const maxTextLength = 1_024;

/** Matches any of the values, ignoring case. */
function fitsAny(values: readonly SelectorValue[], count: StepCount): FitsText {
  const plain = new Set<string>();
  const globs: FitsText[] = [];
  for (const { parts } of values) {
    if (parts.length === 1 && parts[0] === anyChars) return () => true;
    const [only = ""] = parts;
    if (parts.length <= 1 && typeof only === "string") plain.add(only);
    else globs.push(globOf(parts, count));
  }
  return (text) => {
    count.steps++;
    if (text.length > maxTextLength) return false;
    const lowered = text.toLowerCase();
    return plain.has(lowered) || globs.some((fits) => fits(lowered));
  };
}

/** Caches the last host: the terms of a selector are evaluated on the same device in a row. */
let last = { text: "", host: hostOf("") };

function readHost(text: string): Host {
  if (last.text !== text) last = { text, host: hostOf(text) };
  return last.host;
}

/** Hosts also match CIDR ranges such as `10.0.0.0/8`. @returns the first value that is neither range nor text */
function fitsHost(
  values: readonly SelectorValue[],
  count: StepCount,
): FitsText | { readonly wrong: SelectorValue } {
  const ranges = values.filter(({ text }) => text.includes("/"));
  const wrong = ranges.find(({ text }) => readHostPattern(text) === undefined);
  if (wrong) return { wrong };
  const patterns = ranges.flatMap(({ text }) => readHostPattern(text) ?? []);
  const texts = values.filter(({ text }) => !text.includes("/"));
  // Different spellings of an address are the same host.
  const plain = new Set(texts.filter(({ parts }) => parts.length === 1).map(({ text }) => hostOf(text).text));
  const fits = texts.length > 0 ? fitsAny(texts, count) : () => false;
  return (text) => {
    if (fits(text)) return true;
    if (patterns.length === 0 && plain.size === 0) return false;
    const host = readHost(text);
    if (plain.has(host.text)) return true;
    count.steps += 2 * patterns.length;
    return patterns.some((pattern) => pattern.matches(host));
  };
}
