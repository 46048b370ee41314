/** Lexer patterns for a set of delimiters. */
import type { Options } from "../options.ts";

export type BeginType = "raw" | "variable" | "block" | "comment" | "lineStatement" | "lineComment";

export interface Rules {
  /** Finds the next tag; `beginOf` returns its type and white-space control sign (`-`, `+` or none). */
  readonly start: RegExp;
  beginOf(match: RegExpExecArray): { readonly type: BeginType; readonly sign: string };
  readonly variableEnd: RegExp;
  readonly blockEnd: RegExp;
  readonly lineEnd: RegExp;
  readonly commentEnd: RegExp;
  /** Group 1 is the white-space control sign. */
  readonly rawEnd: RegExp;
  readonly newline: string;
  readonly lstripBlocks: boolean;
}

/** Python's `\s`. */
const BLANK = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const BLANK_IN_LINE =
  "[\\t\\v\\f\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LINE_START = "(?:^|(?<=\\n))";

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

interface Begin {
  readonly type: BeginType;
  readonly length: number;
  readonly pattern: string;
  /** Tie-break between delimiters of equal length, as in the reference: reverse order of the token names. */
  readonly rank: number;
}

function begins(options: Options): Begin[] {
  const begin = (type: BeginType, rank: number, mark: string | undefined, before = ""): Begin[] =>
    mark === undefined ? [] : [{ type, length: mark.length, pattern: before + quoted(mark), rank }];
  return [
    begin("variable", 0, options.variableStart),
    begin("lineStatement", 1, options.lineStatementPrefix, `${LINE_START}[ \\t\\v]*`),
    begin("lineComment", 2, options.lineCommentPrefix, `(?:${LINE_START}|(?<!${BLANK}|^))${BLANK_IN_LINE}*`),
    begin("comment", 3, options.commentStart),
    begin("block", 4, options.blockStart),
  ]
    .flat()
    .sort((a, b) => b.length - a.length || a.rank - b.rank);
}

/** Cache by delimiters: nearly all templates use the same. */
const cache = new Map<string, Rules>();
const MAX_KNOWN = 100;

export function rulesFor(options: Options): Rules {
  const key = JSON.stringify(options);
  let rules = cache.get(key);
  if (rules === undefined) {
    if (cache.size >= MAX_KNOWN) cache.clear();
    rules = createRules(options);
    cache.set(key, rules);
  }
  return rules;
}

function createRules(options: Options): Rules {
  const blockStart = quoted(options.blockStart);
  const blockEnd = quoted(options.blockEnd);
  const variableEnd = quoted(options.variableEnd);
  const commentEnd = quoted(options.commentEnd);
  const trimmed = options.trimBlocks ? "\\n?" : "";
  const order = begins(options);
  // Each alternative has one group, which captures the sign.
  const rawBegin = `${blockStart}([-+]?)${BLANK}*raw${BLANK}*(?:-${blockEnd}${BLANK}*|${blockEnd})`;
  const start = new RegExp([rawBegin, ...order.map(({ pattern }) => `${pattern}([-+]?)`)].join("|"), "g");
  const types: BeginType[] = ["raw", ...order.map(({ type }) => type)];
  return {
    start,
    beginOf(match) {
      for (let i = 0; i < types.length; i++) {
        const sign = match[i + 1];
        const type = types[i];
        if (sign !== undefined && type !== undefined) return { type, sign };
      }
      return { type: "block", sign: "" };
    },
    variableEnd: new RegExp(`-${variableEnd}${BLANK}*|${variableEnd}`, "y"),
    blockEnd: new RegExp(`\\+${blockEnd}|-${blockEnd}${BLANK}*|${blockEnd}${trimmed}`, "y"),
    lineEnd: new RegExp(`${BLANK}*(?:\\n|(?=\\n)|$)`, "y"),
    commentEnd: new RegExp(`\\+${commentEnd}|-${commentEnd}${BLANK}*|${commentEnd}${trimmed}`, "g"),
    rawEnd: new RegExp(
      `${blockStart}([-+]?)${BLANK}*endraw${BLANK}*(?:\\+${blockEnd}|-${blockEnd}${BLANK}*|${blockEnd}${trimmed})`,
      "g",
    ),
    newline: options.newline,
    lstripBlocks: options.lstripBlocks,
  };
}
