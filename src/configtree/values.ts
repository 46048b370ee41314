/** Lists of values in one line, such as VLANs: read, compared and written. */
import type { ListRule } from "./rules.ts";

/** A range has at most so many numbers; a longer one is one value. */
const longestRange = 4_096;

export function valuesOf(text: string, { form }: Pick<ListRule, "form">): string[] {
  if (form !== "range" && form !== "to")
    return text
      .split(form)
      .map((value) => value.trim())
      .filter((value) => value !== "");
  const ranges = form === "to" ? text.replaceAll(/(\d) to (\d)/g, "$1-$2").split(" ") : text.split(",");
  return ranges.flatMap((piece) => {
    const value = piece.trim();
    const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(value) ?? [];
    if (first === undefined || last === undefined) return value === "" ? [] : [value];
    const [from, to] = [Number(first), Number(last)];
    if (to < from || to - from >= longestRange) return [value];
    return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  });
}

/** Numbers in a row as ranges, in order; other values behind them. */
export function textOfValues(values: readonly string[], { form }: Pick<ListRule, "form">): string {
  if (form !== "range" && form !== "to") return values.join(form);
  const numbers = values
    .filter((value) => /^\d+$/.test(value))
    .map(Number)
    .sort((a, b) => a - b);
  const rest = values.filter((value) => !/^\d+$/.test(value));
  const pieces: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at;
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end++;
    // Two in a row stand by themselves, as most systems show them.
    if (end - at < 2) for (; at <= end; at++) pieces.push(String(numbers[at]));
    else pieces.push(`${numbers[at]}${form === "to" ? " to " : "-"}${numbers[end]}`);
    at = end + 1;
  }
  return [...pieces, ...rest].join(form === "to" ? " " : ",");
}

/** Ranges in one line of a system whose lists stand on several. */
const mostRanges = 10;

/** The values as they stand on lines. */
export function textsOfValues(values: readonly string[], rule: ListRule): string[] {
  const text = textOfValues(values, rule);
  if (rule.isCumulative !== true || rule.form !== "to") return [text];
  const ranges = text.replaceAll(" to ", "-").split(" ");
  return Array.from({ length: Math.ceil(ranges.length / mostRanges) }, (_, at) =>
    ranges
      .slice(at * mostRanges, (at + 1) * mostRanges)
      .join(" ")
      .replaceAll("-", " to "),
  );
}
