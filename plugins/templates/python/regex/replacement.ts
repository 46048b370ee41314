/** Replacement templates of `sub` and `expand`: `\1`, `\g<name>`, octal and control escapes. */
import { PatternError } from "./errors.ts";
import { codePoints, createSource } from "./source.ts";

/** Literal text and group numbers in turn. */
export type ReplacementPart = string | number;

const controls: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const isDigit = (token: string | undefined): token is string => token !== undefined && /^[0-9]$/.test(token);
const isOctal = (token: string | undefined): token is string => token !== undefined && /^[0-7]$/.test(token);

export function parseReplacement(
  template: string,
  groups: number,
  groupIndex: ReadonlyMap<string, number>,
): readonly ReplacementPart[] {
  if (!template.includes("\\")) return template === "" ? [] : [template];
  const source = createSource(template);
  const parts: ReplacementPart[] = [];
  let literal = "";

  function addGroup(index: number, back: number): void {
    if (index > groups) throw source.error(`invalid group reference ${index}`, back);
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(index);
  }

  function readNamed(): void {
    if (!source.accept("<")) throw source.error("missing <");
    const name = source.takeUntil(">", "group name");
    const length = codePoints(name) + 1;
    if (/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name)) {
      const index = groupIndex.get(name);
      if (index === undefined) throw new PatternError(`unknown group name '${name}'`);
      addGroup(index, length);
      return;
    }
    if (!/^\s*\+?\d+(?:_\d+)*\s*$/.test(name)) {
      throw source.error(`bad character in group name '${name}'`, length);
    }
    addGroup(Number(name.replaceAll("_", "")), length);
  }

  function readNumber(first: string): void {
    let digits = first;
    if (isDigit(source.next())) {
      digits += source.take();
      if (/^[0-7]{2}$/.test(digits) && isOctal(source.next())) {
        digits += source.take();
        const code = Number.parseInt(digits, 8);
        if (code > 0o377) {
          throw source.error(`octal escape value \\${digits} outside of range 0-0o377`, digits.length + 1);
        }
        literal += String.fromCharCode(code);
        return;
      }
    }
    addGroup(Number(digits), digits.length);
  }

  function readOctalZero(): void {
    let digits = "0";
    while (digits.length < 3 && isOctal(source.next())) digits += source.take();
    literal += String.fromCharCode(Number.parseInt(digits, 8) & 0xff);
  }

  for (let token = source.take(); token !== undefined; token = source.take()) {
    if (!token.startsWith("\\")) {
      literal += token;
      continue;
    }
    const char = token.slice(1);
    const control = controls[char];
    if (char === "g") readNamed();
    else if (char === "0") readOctalZero();
    else if (isDigit(char)) readNumber(char);
    else if (control !== undefined) literal += control;
    else if (/^[A-Za-z]$/.test(char)) throw source.error(`bad escape ${token}`, 2);
    else literal += token;
  }
  if (literal !== "") parts.push(literal);
  return parts;
}
