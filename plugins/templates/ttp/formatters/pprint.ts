/** Python's `pprint.pformat(value, indent=4)`. */
import { splitLines } from "../../python/blanks.ts";
import { textLength } from "../../python/codepoints.ts";
import { compare } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { repr } from "../../python/repr.ts";
import { PyTuple, typeName, type Value } from "../../python/values.ts";

const INDENT = 4;
const WIDTH = 80;

export function prettyText(value: Value, meter: Meter): string {
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    length += text.length;
    if (length > meter.limits.stringChars) meter.text(length);
    parts.push(text);
  };

  function format(one: Value, indent: number, allowance: number, level: number): void {
    if (level > meter.limits.depth)
      throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
    const line = safeRepr(one, meter);
    if (textLength(line) <= WIDTH - indent - allowance) write(line);
    else if (one instanceof PyDict) dictionary(one, indent, allowance, level);
    else if (Array.isArray(one)) sequence(one, "[", "]", indent, allowance, level);
    else if (one instanceof PyTuple)
      sequence(one.items, "(", one.items.length === 1 ? ",)" : ")", indent, allowance, level);
    else if (typeof one === "string" && one !== "") text(one, indent, allowance, level);
    else write(line);
  }

  function dictionary(dict: PyDict, indent: number, allowance: number, level: number): void {
    write(`{${" ".repeat(INDENT - 1)}`);
    const inner = indent + INDENT;
    const entries = sortedEntries(dict);
    entries.forEach(([key, item], i) => {
      const last = i === entries.length - 1;
      const name = safeRepr(key, meter);
      write(`${name}: `);
      format(item, inner + textLength(name) + 2, last ? allowance + 1 : 1, level + 1);
      if (!last) write(`,\n${" ".repeat(inner)}`);
    });
    write("}");
  }

  function sequence(
    items: readonly Value[],
    open: string,
    close: string,
    indent: number,
    allowance: number,
    level: number,
  ): void {
    write(open + " ".repeat(INDENT - 1));
    const inner = indent + INDENT;
    items.forEach((item, i) => {
      const last = i === items.length - 1;
      if (i > 0) write(`,\n${" ".repeat(inner)}`);
      format(item, inner, last ? allowance + close.length : 1, level + 1);
    });
    write(close);
  }

  /** Long text in pieces that Python joins again. */
  function text(one: string, indent: number, allowance: number, level: number): void {
    const [at, spare] = level === 0 ? [indent + 1, allowance + 1] : [indent, allowance];
    const chunks = pieces(one, WIDTH - at, spare, meter);
    const [single] = chunks;
    if (chunks.length === 1 && single !== undefined) {
      write(single);
      return;
    }
    if (level === 0) write("(");
    write(chunks.join(`\n${" ".repeat(at)}`));
    if (level === 0) write(")");
  }

  format(value, 0, 0, 0);
  return parts.join("");
}

function pieces(text: string, width: number, allowance: number, meter: Meter): string[] {
  const chunks: string[] = [];
  const lines = splitLines(text, true);
  lines.forEach((line, i) => {
    const lastLine = i === lines.length - 1;
    const whole = repr(line, meter);
    if (textLength(whole) <= width - (lastLine ? allowance : 0)) {
      chunks.push(whole);
      return;
    }
    const words = line.match(/\S+\s*|\s+/g) ?? [];
    let current = "";
    words.forEach((word, j) => {
      const most = width - (lastLine && j === words.length - 1 ? allowance : 0);
      if (textLength(repr(current + word, meter)) > most) {
        if (current !== "") chunks.push(repr(current, meter));
        current = word;
      } else current += word;
    });
    if (current !== "") chunks.push(repr(current, meter));
  });
  return chunks;
}

/** repr with sorted keys. */
function safeRepr(value: Value, meter: Meter): string {
  return repr(ordered(value, 0, meter), meter);
}

function ordered(value: Value, depth: number, meter: Meter): Value {
  if (depth > meter.limits.depth) throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
  if (Array.isArray(value)) return value.map((one) => ordered(one, depth + 1, meter));
  if (value instanceof PyTuple) return new PyTuple(value.items.map((one) => ordered(one, depth + 1, meter)));
  if (!(value instanceof PyDict)) return value;
  return PyDict.from(
    sortedEntries(value).map(([key, one]): [Value, Value] => [key, ordered(one, depth + 1, meter)]),
  );
}

/** Keys that have no order go by the name of their type. */
function sortedEntries(dict: PyDict): [Value, Value][] {
  const below = (a: Value, b: Value): boolean => {
    try {
      return compare("<", a, b);
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      return typeName(a) < typeName(b);
    }
  };
  return dict.entries().sort(([a], [b]) => (below(a, b) ? -1 : below(b, a) ? 1 : 0));
}
