/** Tokenizes Python source, with INDENT and DEDENT as in Python's tokenizer. */
import { syntaxError } from "./errors.ts";

export type TokenKind = "name" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** For a string its body; the lower-case prefix determines how to parse it. */
  readonly text: string;
  readonly line: number;
  readonly prefix?: string;
}

/** White space, comments and continuation lines, or the next token; the first match wins. */
const TOKEN = new RegExp(
  [
    /(?<blank>[ \t\f]+|#[^\n]*|\\\n)/u,
    /(?<feed>\n)/u,
    /(?<prefix>[rRbBuUfF]{0,2})(?<quote>"""|'''|"|')/u,
    /(?<name>[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*)/u,
    /(?<number>0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][-+]?\d(?:_?\d)*)?|\d(?:_?\d)*\.?(?:[eE][-+]?\d(?:_?\d)*)?[jJ]?)/u,
    /(?<op>\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|<=|>=|==|->|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|:=|\*\*|\/\/|<<|>>|[-+*/%@&|^~<>()[\]{},:.;=])/u,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
  "uy",
);
const LINE_START = /([ \t\f]*)(?:#[^\n]*)?(\n)?/y;
const MAX_TOKENS = 200_000;

/** @param expression whether line ends are insignificant, as inside parentheses. */
export function tokenize(source: string, firstLine = 1, expression = false): Token[] {
  const text = source.replace(/\r\n?/g, "\n");
  const tokens: Token[] = [];
  const indents = [0];
  const least = expression ? 1 : 0;
  let open = least;
  let at = 0;
  let line = firstLine;

  const push = (kind: TokenKind, value: string, from = line, prefix?: string) => {
    if (tokens.length >= MAX_TOKENS) throw syntaxError(`more than ${MAX_TOKENS} tokens`, line);
    tokens.push({ kind, text: value, line: from, ...(prefix === undefined ? {} : { prefix }) });
  };

  /** Measures the indentation of a line; blank and comment lines have none. */
  const beginLine = (): void => {
    for (;;) {
      LINE_START.lastIndex = at;
      const [matched = "", blanks = "", feed] = LINE_START.exec(text) ?? [];
      if (feed === undefined) {
        at += matched.length;
        if (at < text.length) indent(columns(blanks));
        return;
      }
      at += matched.length;
      line++;
    }
  };
  const indent = (width: number): void => {
    if (width > (indents.at(-1) ?? 0)) {
      indents.push(width);
      push("indent", "");
    }
    while (width < (indents.at(-1) ?? 0)) {
      indents.pop();
      push("dedent", "");
      if ((indents.at(-1) ?? 0) < width)
        throw syntaxError("unindent does not match any outer indentation level", line);
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
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw syntaxError(`invalid character '${text[at]}'`, line);
    at = TOKEN.lastIndex;
    const { blank, feed, quote, name, number, op } = groups;
    if (blank !== undefined) line += blank.endsWith("\n") ? 1 : 0;
    else if (feed !== undefined) {
      if (open === 0) push("newline", "");
      line++;
      if (open === 0) beginLine();
    } else if (quote !== undefined) string(groups.prefix ?? "", quote);
    else if (name !== undefined) push("name", name);
    else if (number !== undefined) push("number", number);
    else if (op !== undefined) {
      if ("([{".includes(op)) open++;
      else if (")]}".includes(op) && open > least) open--;
      push("op", op);
    }
  }
  if (!expression) {
    if (tokens.length > 0 && tokens.at(-1)?.kind !== "newline") push("newline", "");
    for (; indents.length > 1; indents.pop()) push("dedent", "");
  }
  push("end", "");
  return tokens;
}

/** A tab advances to the next multiple of eight. */
function columns(blanks: string): number {
  let width = 0;
  for (const char of blanks)
    width = char === "\t" ? (Math.floor(width / 8) + 1) * 8 : char === "\f" ? 0 : width + 1;
  return width;
}
