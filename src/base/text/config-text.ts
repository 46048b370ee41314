/** Normalizes configurations for comparison by removing volatile lines. */
import { redact } from "../secrets/redact.ts";

const shownLines = 10;

/** Removes trailing blanks, empty lines and volatile lines (`ignore`). */
export function comparableConfiguration(text: string, ignore: readonly RegExp[] = []): string {
  const patterns = ignore.map(({ source, flags }) => new RegExp(source, flags.replaceAll(/[gym]/g, "")));
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !patterns.some((pattern) => pattern.test(line)))
    .join("\n");
}

/**
 * The first lines in which two configurations differ, for a message: added lines with `+`, missing ones with `-`, with
 * passwords and hashes removed.
 */
export function differingLines(now: string, before: string): string {
  const count = (text: string) => {
    const lines = new Map<string, number>();
    for (const line of text.split("\n")) lines.set(line, (lines.get(line) ?? 0) + 1);
    return lines;
  };
  const [is, was] = [count(now), count(before)];
  const more = [...is].flatMap(([line, times]) => (times > (was.get(line) ?? 0) ? [`+ ${line}`] : []));
  const less = [...was].flatMap(([line, times]) => (times > (is.get(line) ?? 0) ? [`- ${line}`] : []));
  const differences = [...more, ...less];
  if (differences.length === 0) return "the order of its lines";
  const rest = differences.length > shownLines ? `\n(and ${differences.length - shownLines} more)` : "";
  return redact(differences.slice(0, shownLines).join("\n")) + rest;
}
