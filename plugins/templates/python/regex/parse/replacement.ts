/** Replacement templates of `sub` and `expand`: `\1`, `\g<name>`, octal and control escapes. */
import { textLength } from "../../text/codepoints.ts";
import { CONTROLS } from "../../text/escapes.ts";
import { textRepr } from "../../text/repr.ts";
import { PatternError } from "./errors.ts";
import { readNumber } from "./escapes.ts";
import { accept, createReader, isIdentifier, refuse, take, takeUntil } from "./reader.ts";

/** Literal text or a group number. */
export type ReplacementPart = string | number;

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

  function addNumbered(token: string): void {
    const { code, group = 0 } = readNumber(reader, token);
    if (code === undefined) addGroup(group, String(group).length);
    else literal += String.fromCharCode(code);
  }

  for (let token = take(reader); token !== undefined; token = take(reader)) {
    if (!token.startsWith("\\")) {
      literal += token;
      continue;
    }
    const char = token.slice(1);
    const control = CONTROLS[char];
    if (char === "g") readNamed();
    else if (/^[0-9]$/.test(char)) addNumbered(token);
    else if (control !== undefined) literal += control;
    else if (/^[A-Za-z]$/.test(char)) throw refuse(reader, `bad escape ${token}`, 2);
    else literal += token;
  }
  if (literal !== "") parts.push(literal);
  return parts;
}
