/** A line of a configuration as words: bare, quoted, `name=value`, `name: value`. Takes linear time. */

export interface Atom {
  /** Where its text begins and ends in the line: within the quotes of a quoted one. */
  readonly from: number;
  readonly to: number;
  /** Behind the whole word, where it is the first part of a word such as `a=b`; otherwise the same as `to`. */
  readonly end: number;
  readonly text: string;
  /** In lower case; empty if it is longer than a word of a command. */
  readonly word: string;
  readonly quoted: boolean;
  /** An equals sign or a colon follows: it is the name of the next atom. */
  readonly names: boolean;
}

/** Longer texts are no words of a command. */
const longestWord = 64;
const name = /^[\w.$/-]{1,64}$/;
const blanks = /[\s,]/;

/** @param endsWithSemicolon whether a semicolon behind a bare word ends a statement */
export function atomsOf(line: string, endsWithSemicolon: boolean): Atom[] {
  const atoms: Atom[] = [];
  const push = (from: number, to: number, { quoted = false, names = false, end = to } = {}) => {
    const text = line.slice(from, to);
    const word = text.length > longestWord ? "" : text.toLowerCase();
    atoms.push({ from, to, end, text, word, quoted, names });
  };
  const rename = () => {
    const last = atoms.at(-1);
    if (last !== undefined) atoms[atoms.length - 1] = { ...last, names: true };
  };
  let at = 0;
  while (at < line.length) {
    const char = line[at] ?? "";
    if (blanks.test(char)) at++;
    else if (isBracket(char) && standsAlone(line[at + 1])) {
      push(at, at + 1);
      at++;
    } else if (char === '"' || (char === "'" && closingQuote(line, at, char) < line.length)) {
      const end = closingQuote(line, at, char);
      push(at + 1, end, { quoted: true });
      at = end + 1;
      if (line[at] === ":" || line[at] === "=") {
        rename();
        at++;
      }
    } else if ((char === "=" || char === ":") && atoms.length > 0 && blanks.test(line[at + 1] ?? " ")) {
      rename();
      at++;
    } else
      at = bareWord(
        line,
        at,
        { endsWithSemicolon, isFirst: atoms.length === 0, isValue: atoms.at(-1)?.names === true },
        push,
      );
  }
  return atoms;
}

const isBracket = (char: string) => "{}[]()<>".includes(char);
const standsAlone = (next = " ") => isBracket(next) || blanks.test(next) || next === '"' || next === ";";

type Push = (from: number, to: number, how?: { quoted?: boolean; names?: boolean; end?: number }) => void;

interface Bare {
  readonly endsWithSemicolon: boolean;
  /** Nothing stands before it in the line. */
  readonly isFirst: boolean;
  /** It is the value of a name. */
  readonly isValue: boolean;
}

/** @returns where the next word may begin */
function bareWord(
  line: string,
  from: number,
  { endsWithSemicolon, isFirst, isValue }: Bare,
  push: Push,
): number {
  let end = from;
  let split: number | undefined;
  for (; end < line.length && line[end] !== " " && line[end] !== "\t"; end++) {
    const sign = line[end];
    if (split !== undefined || isValue || (sign !== "=" && sign !== ":") || end - from > longestWord)
      continue;
    if (end > from && splits(line, from, end, isFirst)) split = end;
  }
  const last = end - from > 1 ? line[end - 1] : undefined;
  // Values of a list, as in `{psk=a, remote=b}`, are separated.
  const to = (endsWithSemicolon && last === ";") || (isValue && last === ",") ? end - 1 : end;
  if (split === undefined) {
    push(from, to);
    return end;
  }
  push(from, split, { names: true, end: to });
  return split + 1;
}

/** Whether the sign at `at` ends a name, and is no part of a word such as a hash or an address. */
function splits(line: string, from: number, at: number, isFirst: boolean): boolean {
  const next = line[at + 1] ?? " ";
  const word = line.slice(from, at);
  if (!name.test(word)) return false;
  if (line[at] === "=") return blanks.test(next) ? isFirst : next !== "=";
  if (blanks.test(next) || next === '"' || next === "'") return true;
  // `password:abc`, but no address and no URL.
  return next !== ":" && next !== "/" && /[a-z]{4}/i.test(word);
}

/** An open quote ends with the line. */
function closingQuote(line: string, from: number, quote: string): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === quote) return at;
  }
  return line.length;
}
