/** Python source into tokens, with INDENT and DEDENT as Python's own tokenizer gives them. */
import { syntaxError } from "./errors.ts";

export type TokenKind = "name" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** A string's text is its body; its prefix (lower case) tells how to read it. */
  readonly text: string;
  readonly line: number;
  readonly prefix?: string;
}

const OPERATORS =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|<=|>=|==|->|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|:=|\*\*|\/\/|<<|>>|[-+*/%@&|^~<>()[\]{},:.;=]/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*\.?(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?/y;
const QUOTED = /([rRbBuUfF]{0,2})("""|'''|"|')/y;
const BLANKS = /[ \t\f]*/y;
const OPENING = "([{";
const CLOSING = ")]}";
const MAX_TOKENS = 200_000;

/** @param expression whether line ends mean nothing, as inside parentheses. */
export function tokenize(source: string, firstLine = 1, expression = false): Token[] {
  const text = source.replace(/\r\n?/g, "\n");
  const tokens: Token[] = [];
  const indents = [0];
  let at = 0;
  let line = firstLine;
  let open = expression ? 1 : 0;

  const push = (kind: TokenKind, value: string, from = line, prefix?: string) => {
    if (tokens.length >= MAX_TOKENS) throw syntaxError(`more than ${MAX_TOKENS} tokens`, line);
    tokens.push(
      prefix === undefined ? { kind, text: value, line: from } : { kind, text: value, line: from, prefix },
    );
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match;
  };

  /** Indentation of the line that begins here; blank and comment lines have none. */
  const beginLine = (): void => {
    for (;;) {
      const start = at;
      take(BLANKS);
      if (text[at] === "#") while (at < text.length && text[at] !== "\n") at++;
      if (text[at] === "\n") {
        at++;
        line++;
        continue;
      }
      if (at >= text.length) return;
      const width = columns(text.slice(start, at));
      const now = indents.at(-1) ?? 0;
      if (width > now) {
        indents.push(width);
        push("indent", "");
      }
      for (let top = now; width < top; top = indents.at(-1) ?? 0) {
        indents.pop();
        push("dedent", "");
        if ((indents.at(-1) ?? 0) < width)
          throw syntaxError("unindent does not match any outer indentation level", line);
      }
      return;
    }
  };

  const string = (prefix: string, quote: string): void => {
    const start = at;
    const from = line;
    for (; at < text.length; at++) {
      const char = text[at];
      if (char === "\\") {
        at++;
        if (text[at] === "\n") line++;
      } else if (text.startsWith(quote, at)) {
        push("string", text.slice(start, at), from, prefix.toLowerCase());
        at += quote.length;
        return;
      } else if (char === "\n") {
        if (quote.length === 1) break;
        line++;
      }
    }
    throw syntaxError("unterminated string literal", from);
  };

  if (!expression) beginLine();
  while (at < text.length) {
    take(BLANKS);
    const char = text[at];
    if (char === undefined) break;
    if (char === "#") {
      while (at < text.length && text[at] !== "\n") at++;
      continue;
    }
    if (char === "\n") {
      at++;
      if (open === 0) {
        push("newline", "");
        line++;
        beginLine();
      } else line++;
      continue;
    }
    if (char === "\\" && text[at + 1] === "\n") {
      at += 2;
      line++;
      continue;
    }
    const quoted = take(QUOTED);
    if (quoted !== null) {
      string(quoted[1] ?? "", quoted[2] ?? "");
      continue;
    }
    const name = take(NAME);
    if (name !== null) {
      push("name", name[0]);
      continue;
    }
    const number = /[\d.]/.test(char) ? take(NUMBER) : null;
    if (number !== null) {
      push("number", number[0]);
      continue;
    }
    const operator = take(OPERATORS)?.[0];
    if (operator === undefined) throw syntaxError(`invalid character '${char}'`, line);
    if (OPENING.includes(operator)) open++;
    else if (CLOSING.includes(operator) && open > (expression ? 1 : 0)) open--;
    push("op", operator);
  }
  if (!expression) {
    if (tokens.length > 0 && tokens.at(-1)?.kind !== "newline") push("newline", "");
    for (; indents.length > 1; indents.pop()) push("dedent", "");
  }
  push("end", "");
  return tokens;
}

/** A tab goes to the next multiple of eight. */
function columns(blanks: string): number {
  let width = 0;
  for (const char of blanks)
    width = char === "\t" ? (Math.floor(width / 8) + 1) * 8 : char === "\f" ? 0 : width + 1;
  return width;
}
