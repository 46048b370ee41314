/** Canonical JSON (RFC 8785): a value has one text, so that anybody can compute its hash again. */

export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue | undefined };

/**
 * Members are sorted by their UTF-16 code units, and left out if undefined; nothing is written between tokens. Numbers
 * and strings are written as ECMAScript does; a lone surrogate, which has no UTF-8, becomes U+FFFD.
 * @throws TypeError for a number that JSON cannot say
 */
export function canonicalJson(value: CanonicalValue): string {
  if (typeof value === "string") return JSON.stringify(value.isWellFormed() ? value : value.toWellFormed());
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("JSON has no such number");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined)
      text += `${text === "" ? "" : ","}${canonicalJson(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** The same of a value whose type does not say that it is JSON. @throws TypeError if it is not */
export function canonicalTextOf(value: unknown): string {
  if (!isCanonical(value)) throw new TypeError("not JSON");
  return canonicalJson(value);
}

/** Whether a parsed JSON value is one: a bigint of a lossless parser is not. */
export function isCanonical(value: unknown): value is CanonicalValue {
  if (Array.isArray(value)) return value.every(isCanonical);
  if (typeof value === "object" && value !== null) return Object.values(value).every(isCanonical);
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
