/** Texts for the tests of configuration texts. */
import fc from "fast-check";

const fragment = fc.constantFrom(
  "interface Gi0/1",
  " description x",
  " no shutdown",
  "!",
  "",
  " ",
  "é\u{1F600}",
  "\uD800",
  "\uDC00x",
  "-- a",
  "++ b",
  "\\ No newline at end of file",
  "tab\there",
);
const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");

/** Any few or many lines, with any line ends, with or without a last one. */
export const anyLines = fc
  .tuple(fc.array(fc.tuple(fragment, lineEnd), { maxLength: 60 }), fc.nat(8), fc.boolean())
  .map(([lines, repeats, isClosed]) => {
    const text = lines.map(([line, end]) => line + end).join("");
    const all = Array.from({ length: repeats + 1 }, (_, at) => `hostname r${at}\n${text}`).join("");
    return isClosed ? `${all}\n` : all;
  });

/** The text with a few lines removed, doubled or replaced. */
export function edited(text: string, choices: Iterator<number>): string {
  const next = (below: number) => Number(choices.next().value) % below;
  const lines = text.split("\n");
  for (let edits = next(4); edits > 0; edits--) {
    const at = next(lines.length);
    const kind = next(3);
    if (kind === 0) lines.splice(at, 1);
    else if (kind === 1) lines.splice(at, 0, lines[next(lines.length)] ?? "");
    else lines[at] = `changed ${next(9)}`;
    if (lines.length === 0) lines.push("");
  }
  return lines.join("\n");
}
