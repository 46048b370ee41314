/** Mistakes as people make them in the lines of a push. */
import type { Random } from "../configtree/frr-configurations.ts";

export const mistakes = ["none", "typing", "mode", "reference", "order"] as const;
export type Mistake = (typeof mistakes)[number];

const indentOf = (line: string) => line.length - line.trimStart().length;
const isFrame = (line: string) => /^\s*(?:exit|end)/.test(line);

/** The lines with one mistake; undefined: there is no place for it. */
export function withMistake(
  lines: readonly string[],
  kind: Mistake,
  random: Random,
): readonly string[] | undefined {
  if (kind === "none") return lines;
  return { typing, mode, reference, order }[kind](lines, random);
}

/** A line that is more than a frame, and where it stands. */
function someLine(lines: readonly string[], { one }: Random, which = (_line: string) => true) {
  const all = lines.flatMap((line, at) => (isFrame(line) || !which(line) ? [] : [{ line, at }]));
  return all.length === 0 ? undefined : one(all);
}

/** A letter of one word is dropped, doubled, swapped with the next one, or another one. */
function typing(lines: readonly string[], random: Random): readonly string[] | undefined {
  const { below, one } = random;
  const found = someLine(lines, random);
  if (found === undefined) return undefined;
  const words = found.line.trim().split(" ");
  const which = below(words.length);
  const word = words[which] ?? "";
  const at = below(word.length);
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  const mistyped = one([
    before + after,
    before + letter + letter + after,
    before + after.slice(0, 1) + letter + after.slice(1),
    before + one([..."abcdefghijklmnopqrstuvwxyz0123456789"]) + after,
  ]);
  words[which] = mistyped;
  const indent = " ".repeat(indentOf(found.line));
  return mistyped === "" ? undefined : lines.with(found.at, indent + words.join(" "));
}

/** A line of a section stands at the top or in another section, or one of the top in a section. */
function mode(lines: readonly string[], random: Random): readonly string[] | undefined {
  const { below, one } = random;
  const found = someLine(lines, random, (line) => indentOf(line) > 0);
  if (found === undefined) return undefined;
  const rest = lines.toSpliced(found.at, 1);
  const headers = rest.flatMap((line, at) => (indentOf(rest[at + 1] ?? "") > indentOf(line) ? [at] : []));
  if (headers.length === 0 || below(3) === 0) return rest.toSpliced(0, 0, found.line.trim());
  const at = one(headers);
  return rest.toSpliced(at + 1, 0, " ".repeat(indentOf(rest[at + 1] ?? "")) + found.line.trim());
}

/** A line is missing that others need, or a name that is not there stands in one. */
function reference(lines: readonly string[], random: Random): readonly string[] | undefined {
  const { one, some } = random;
  const found = someLine(lines, random, (line) => /^\s*neighbor \S+ (?:remote-as|peer-group)/.test(line));
  if (found !== undefined && some(0.5)) return lines.toSpliced(found.at, 1);
  const named = someLine(lines, random, (line) => /\b(?:192\.0\.2\.\d+|PG|RM-\w+|PL-\w)\b/.test(line));
  if (named === undefined) return undefined;
  const others: Readonly<Record<string, readonly string[]>> = { P: ["PGX", "PL-NONE"], R: ["RM-NONE"] };
  return lines.with(
    named.at,
    named.line.replace(/\b(?:192\.0\.2\.\d+|PG|RM-\w+|PL-\w)\b/, (name) =>
      one(others[name.charAt(0)] ?? ["192.0.2.77", "198.51.100.99"]),
    ),
  );
}

/** Two lines of one section have changed places, or a whole section stands first. */
function order(lines: readonly string[], random: Random): readonly string[] | undefined {
  const found = someLine(lines, random);
  if (found === undefined) return undefined;
  const beside = lines.flatMap((line, at) =>
    at !== found.at && !isFrame(line) && indentOf(line) === indentOf(found.line) ? [at] : [],
  );
  if (beside.length === 0) return undefined;
  const other = random.one(beside);
  return lines.with(found.at, lines[other] ?? "").with(other, found.line);
}
