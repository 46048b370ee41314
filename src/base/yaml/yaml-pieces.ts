/** Splits long YAML into pieces that are parsed one at a time, to bound memory. */

export interface YamlStep {
  readonly key: string;
  /** Line number, from 1. */
  readonly line: number;
}

export interface YamlPiece {
  /** Keys that lead to the list or mapping the piece belongs to. */
  readonly path: readonly YamlStep[];
  /** Number of lines before it. */
  readonly before: number;
  readonly text: string;
}

/** Anchors and aliases, which may cross pieces. */
const reaching = /(?:^|[\s,:[{-])[&*][^\s,[\]{}]/m;
/** Directives, document markers, and tabs in the indentation. */
const unusual = /^(?:%| *\t)|^(?:---|\.\.\.)(?=\s|$)/m;
/** A plain key, text in every YAML version, with its value on the following lines. */
const opening = /^ *([A-Za-z_][\w.-]*):\s*(?:#.*)?$/;
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Characters that must not start an entry of a mapping that is split. */
const odd = /^[?:[\]{},|>@`%]/;

/** @param maxChars approximate piece size in characters. @returns undefined if it must be parsed whole */
export function yamlPieces(text: string, maxChars: number): YamlPiece[] | undefined {
  const bare = text.replace(/^\ufeff/, "");
  const marked = /^---[ \t]*\r?\n/.test(bare);
  const body = marked ? bare.slice(bare.indexOf("\n") + 1) : bare;
  if (reaching.test(body) || unusual.test(body)) return undefined;
  const lines = body.split("\n");
  const pieces: YamlPiece[] = [];
  return cut(lines, 0, lines.length, [], maxChars, marked ? 1 : 0, pieces) ? pieces : undefined;
}

function cut(
  lines: readonly string[],
  from: number,
  to: number,
  path: readonly YamlStep[],
  maxChars: number,
  shift: number,
  pieces: YamlPiece[],
): boolean {
  const starts = startsOf(lines, from, to);
  if (starts === undefined) return false;
  let pieceStart = starts[0] ?? from;
  let chars = 0;
  const end = (at: number) => {
    if (at > pieceStart)
      pieces.push({ path, before: pieceStart + shift, text: textOf(lines, pieceStart, at) });
    pieceStart = at;
    chars = 0;
  };
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1] ?? to;
    let length = 0;
    for (let at = start; at < next; at++) length += (lines[at]?.length ?? 0) + 1;
    const key = length > maxChars ? opening.exec(lines[start]?.trimEnd() ?? "")?.[1] : undefined;
    const inner: YamlPiece[] = [];
    const isCut =
      key !== undefined &&
      !notText.test(key) &&
      cut(lines, start + 1, next, [...path, { key, line: start + 1 + shift }], maxChars, shift, inner);
    if (isCut || chars + length > maxChars) end(start);
    if (isCut) {
      pieces.push(...inner);
      pieceStart = next;
    } else chars += length;
  }
  end(to);
  return true;
}

/** With the line break that ends the piece: a block scalar may be its last value. */
function textOf(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from, to).join("\n") + (to < lines.length ? "\n" : "");
}

/** The first lines of the entries of a block; undefined if it cannot be split. */
function startsOf(lines: readonly string[], from: number, to: number): number[] | undefined {
  const starts: number[] = [];
  let indent: number | undefined;
  let isList = false;
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? "";
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const indentation = line.length - line.trimStart().length;
    const isItem = /^-(?:\s|$)/.test(text);
    if (indent === undefined) {
      indent = indentation;
      isList = isItem;
    }
    if (indentation < indent) return undefined;
    if (indentation > indent) continue;
    // List items may have the same indentation as their key.
    if (isItem && !isList) continue;
    if (isItem !== isList || odd.test(text)) return undefined;
    starts.push(at);
  }
  return starts.length === 0 ? undefined : starts;
}
