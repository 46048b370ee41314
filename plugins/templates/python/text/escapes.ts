/** Backslash escapes in Python string literals. */
import { valueError } from "../errors.ts";

/** Single-letter escapes, the same in literals and regular expressions. */
export const CONTROLS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const SIMPLE: Readonly<Record<string, string>> = { ...CONTROLS, "\n": "", "'": "'", '"': '"' };

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]?))/g;

/** Unescapes the body of a literal. An unknown escape stays as written; a malformed one is an error. */
export function unescapeLiteral(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(
    ESCAPE,
    (sequence: string, octal?: string, hex2?: string, hex4?: string, hex8?: string, char = "") => {
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      const hex = hex2 ?? hex4 ?? hex8;
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        if (code > 0x10ffff) throw valueError("illegal Unicode character");
        return String.fromCodePoint(code);
      }
      if (char === "") throw valueError("\\ at end of string");
      if (char === "x") throw valueError("truncated \\xXX sequence");
      if (char === "u") throw valueError("truncated \\uXXXX sequence");
      if (char === "U") throw valueError("truncated \\UXXXXXXXX sequence");
      if (char === "N") throw valueError("\\N{...} escapes are not supported");
      return SIMPLE[char] ?? sequence;
    },
  );
}
