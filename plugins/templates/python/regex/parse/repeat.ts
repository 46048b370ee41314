/** Parses quantifiers: `*`, `+`, `?`, `{n,m}`, greedy, lazy and possessive. */
import { isSingle, type Node, type RepeatMode } from "./ast.ts";
import { PatternError } from "./errors.ts";
import { literalNode, maxRepeat } from "./nodes.ts";
import { accept, peek, type Reader, refuseAt, skip, takeWhile } from "./reader.ts";
import type { Parse } from "./state.ts";

const DIGITS = "0123456789";
const [PLUS, QUESTION, BRACE, BRACE_END, COMMA] = [43, 63, 123, 125, 44];

/** Applies the quantifier to the last of `items`. */
export function parseRepeat(parse: Parse, code: number, items: Node[]): void {
  const { reader } = parse;
  skip(reader, 1);
  const start = reader.position;
  let min = code === PLUS ? 1 : 0;
  let max = code === QUESTION ? 1 : Number.POSITIVE_INFINITY;
  if (code === BRACE) {
    const bounds = parseBounds(reader, start);
    if (bounds === undefined) {
      items.push(literalNode(BRACE, "exact"));
      return;
    }
    ({ min, max } = bounds);
  }
  const body = items.at(-1);
  if (body === undefined || body.kind === "anchor") throw refuseAt(reader, "nothing to repeat", start - 1);
  if (body.kind === "repeat") throw refuseAt(reader, "multiple repeat", start - 1);
  const mode: RepeatMode = accept(reader, QUESTION) ? "lazy" : accept(reader, PLUS) ? "possessive" : "greedy";
  if (min !== max) parse.variableParts += 1;
  if (!isSingle(body)) {
    if (max > 1) parse.groupLoops += 1;
    if (max > 1 || body.low === 0) parse.unusual = true;
  }
  items[items.length - 1] = {
    kind: "repeat",
    min,
    max,
    mode,
    body,
    low: Math.min(body.low * min, maxRepeat - 1),
    high: body.high === 0 ? 0 : Math.min(body.high * max, maxRepeat),
  };
}

function parseBounds(reader: Reader, start: number): { min: number; max: number } | undefined {
  if (peek(reader) === BRACE_END) return undefined;
  const low = takeWhile(reader, Number.POSITIVE_INFINITY, DIGITS);
  const high = accept(reader, COMMA) ? takeWhile(reader, Number.POSITIVE_INFINITY, DIGITS) : low;
  if (!accept(reader, BRACE_END)) {
    reader.position = start;
    return undefined;
  }
  const min = low === "" ? 0 : Number(low);
  const max = high === "" ? Number.POSITIVE_INFINITY : Number(high);
  if (min >= maxRepeat || (high !== "" && max >= maxRepeat)) {
    throw new PatternError("the repetition number is too large");
  }
  if (max < min) throw refuseAt(reader, "min repeat greater than max repeat", start);
  return { min, max };
}
