/** Reading parsed records: fields by name, numbers and texts as Python converts them. */

import { TemplateError } from "patchbay/plugin";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { parseJson } from "../../python/json.ts";
import { createMeter } from "../../python/limits.ts";
import { toInteger } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import { truth, type Value } from "../../python/values.ts";

/** `record.get(name)`; None where it is absent. */
export const field = (record: PyDict, name: string): Value => record.get(name) ?? null;

export const isDict = (value: Value | undefined): value is PyDict => value instanceof PyDict;

export const dictsOf = (value: Value | undefined): PyDict[] =>
  Array.isArray(value) ? value.filter(isDict) : [];

export const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** `value or other`. */
export const orElse = (value: Value, other: Value): Value => (truth(value) ? value : other);

export function textOf(value: Value): string {
  return typeof value === "string" ? value : str(value, createMeter());
}

/** `int(value)`; None where that fails. */
export function intOrNone(value: Value): Value {
  try {
    return toInteger(value);
  } catch (error) {
    if (error instanceof PyError) return null;
    throw error;
  }
}

export function needText(record: PyDict, name: string): string {
  const value = record.get(name);
  if (typeof value !== "string") throw new PyError("ValueError", `'${name}' must be text`);
  return value;
}

/** The JSON object whose inside a template captured as `data` of its first record. */
export function capturedJson(payload: Value): PyDict {
  const [first] = listOf(payload);
  if (first === undefined) return new PyDict();
  if (!isDict(first)) throw new PyError("TypeError", "the payload holds no record");
  let found: Value;
  try {
    found = parseJson(`{${needText(first, "data")}}`);
  } catch (error) {
    if (error instanceof TemplateError && error.kind === "TemplateRuntime")
      throw new PyError("JSONDecodeError", error.message);
    throw error;
  }
  return isDict(found) ? found : new PyDict();
}

/** `ip/length` of records with `ip` and `mask`. */
export function withLengths(
  addresses: Value | undefined,
  convert: (mask: string) => string = (mask) => mask,
): Value[] {
  return dictsOf(addresses)
    .filter((one) => truth(field(one, "ip")) && truth(field(one, "mask")))
    .map((one) => `${textOf(field(one, "ip"))}/${convert(textOf(field(one, "mask")))}`);
}

/** 255.255.255.0 to 24; what is no mask stays as it is. */
export function maskLength(mask: string): string {
  if (!mask.includes(".")) return textOf(intOrNone(mask) ?? mask);
  const bits = mask
    .split(".")
    .map((part) =>
      /^\d{1,3}$/.test(part) && Number(part) < 256 ? Number(part).toString(2).padStart(8, "0") : "x",
    )
    .join("");
  if (/^1*0*$/.test(bits) && bits.length === 32) return String(bits.replaceAll("0", "").length);
  return /^0*1*$/.test(bits) && bits.length === 32 ? String(bits.replaceAll("1", "").length) : mask;
}

/** Numbers once each, in order. */
export function sortedNumbers(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort((a, b) => Number(a) - Number(b));
}
