/** Splits the caller's texts into the lines of a push. */

/**
 * Returns one entry per line. If the push enters configuration mode anyway, drops a leading line that does so, as
 * people type it: inside the mode no system accepts it.
 */
export function linesOf(texts: readonly string[], enter: string | undefined): string[] {
  const lines = texts.flatMap((text) => text.split(/\r\n|\r|\n/)).map((line) => line.trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  const first = lines.findIndex((line) => line !== "");
  return enter !== undefined && abbreviates(lines[first] ?? "", enter) ? lines.slice(first + 1) : lines;
}

/** `conf t` is `configure terminal`. */
function abbreviates(line: string, command: string): boolean {
  const typed = line.trim().toLowerCase().split(/\s+/);
  const words = command.toLowerCase().split(" ");
  return (
    (typed[0]?.length ?? 0) > 2 &&
    typed.length === words.length &&
    typed.every((word, at) => words[at]?.startsWith(word))
  );
}
