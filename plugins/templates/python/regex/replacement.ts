/** Replacement templates of `sub` and `expand`: `\1`, `\g<name>`, octal and control escapes. */
import { textLength } from "../codepoints.ts";
import { CONTROLS } from "../escapes.ts";
import { textRepr } from "../repr.ts";
import { PatternError } from "./errors.ts";
import { accept, createReader, isIdentifier, peek, refuse, take, takeUntil } from "./reader.ts";

/** Literal text and group numbers in turn. */
export type ReplacementPart = string | number;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isOctal = (code: number): boolean => code >= 48 && code <= 55;

export function parseReplacement(
  template: string,
  groups: number,
  groupIndex: ReadonlyMap<string, number>,
): readonly ReplacementPart[] {
  if (!template.includes("\\")) return template === "" ? [] : [template];
  const reader = createReader(template);
  const parts: ReplacementPart[] = [];
  let literal = "";

  function addGroup(index: number, back: number): void {
    if (index > groups) throw refuse(reader, `invalid group reference ${index}`, back);
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(index);
  }

  function readNamed(): void {
    if (!accept(reader, 60)) throw refuse(reader, "missing <");
    const name = takeUntil(reader, ">", "group name");
    const length = textLength(name) + 1;
    if (isIdentifier(name)) {
      const index = groupIndex.get(name);
      if (index === undefined) throw new PatternError(`unknown group name ${textRepr(name)}`);
      addGroup(index, length);
      return;
    }
    if (!/^\s*\+?\d+(?:_\d+)*\s*$/.test(name)) {
      throw refuse(reader, `bad character in group name ${textRepr(name)}`, length);
    }
    addGroup(Number(name.replaceAll("_", "")), length);
  }

  function readNumber(first: string): void {
    let digits = first;
    if (isDigit(peek(reader))) {
      digits += take(reader);
      if (/^[0-7]{2}$/.test(digits) && isOctal(peek(reader))) {
        digits += take(reader);
        const code = Number.parseInt(digits, 8);
        if (code > 0o377) {
          throw refuse(reader, `octal escape value \\${digits} outside of range 0-0o377`, digits.length + 1);
        }
        literal += String.fromCharCode(code);
        return;
      }
    }
    addGroup(Number(digits), digits.length);
  }

  function readOctalZero(): void {
    let digits = "0";
    while (digits.length < 3 && isOctal(peek(reader))) digits += take(reader);
    literal += String.fromCharCode(Number.parseInt(digits, 8) & 0xff);
  }

  for (let token = take(reader); token !== undefined; token = take(reader)) {
    if (!token.startsWith("\\")) {
      literal += token;
      continue;
    }
    const char = token.slice(1);
    const control = CONTROLS[char];
    if (char === "g") readNamed();
    else if (char === "0") readOctalZero();
    else if (/^[0-9]$/.test(char)) readNumber(char);
    else if (control !== undefined) literal += control;
    else if (/^[A-Za-z]$/.test(char)) throw refuse(reader, `bad escape ${token}`, 2);
    else literal += token;
  }
  if (literal !== "") parts.push(literal);
  return parts;
}
