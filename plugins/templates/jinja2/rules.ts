/** The patterns that begin and end the tags of one choice of delimiters. */
import type { Options } from "./options.ts";

export type BeginType = "raw" | "variable" | "block" | "comment" | "lineStatement" | "lineComment";

export interface Rules {
  /** Finds the next tag; `beginOf` tells which it is and its sign (`-`, `+` or nothing). */
  readonly start: RegExp;
  beginOf(match: RegExpExecArray): { readonly type: BeginType; readonly sign: string };
  readonly variableEnd: RegExp;
  readonly blockEnd: RegExp;
  readonly lineEnd: RegExp;
  readonly commentEnd: RegExp;
  /** Group 1 is the sign of the tag. */
  readonly rawEnd: RegExp;
  readonly newline: string;
  readonly lstripBlocks: boolean;
}

/** `\s` as Python has it. */
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
  /** Decides between tags of one length, as the reference does: by the token's name, last first. */
  readonly rank: number;
}

function begins(options: Options): Begin[] {
  const list: Begin[] = [
    {
      type: "variable",
      length: options.variableStart.length,
      pattern: quoted(options.variableStart),
      rank: 0,
    },
    { type: "comment", length: options.commentStart.length, pattern: quoted(options.commentStart), rank: 3 },
    { type: "block", length: options.blockStart.length, pattern: quoted(options.blockStart), rank: 4 },
  ];
  const { lineStatementPrefix, lineCommentPrefix } = options;
  if (lineStatementPrefix !== undefined) {
    list.push({
      type: "lineStatement",
      length: lineStatementPrefix.length,
      pattern: `${LINE_START}[ \\t\\v]*${quoted(lineStatementPrefix)}`,
      rank: 1,
    });
  }
  if (lineCommentPrefix !== undefined) {
    list.push({
      type: "lineComment",
      length: lineCommentPrefix.length,
      pattern: `(?:${LINE_START}|(?<!${BLANK}|^))${BLANK_IN_LINE}*${quoted(lineCommentPrefix)}`,
      rank: 2,
    });
  }
  return list.sort((a, b) => b.length - a.length || a.rank - b.rank);
}

/** By delimiters: nearly all templates use the same. */
const known = new Map<string, Rules>();
const MAX_KNOWN = 100;

export function rulesFor(options: Options): Rules {
  const {
    undefined: _kind,
    autoescape: _auto,
    keepTrailingNewline: _keep,
    ansible: _ansible,
    ...syntax
  } = options;
  const key = JSON.stringify(syntax);
  let rules = known.get(key);
  if (rules === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    rules = createRules(options);
    known.set(key, rules);
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
  // Each tag is one group that holds its sign.
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
