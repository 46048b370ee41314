/** What of a configuration is run together: a text of several lines is a script, lines of a here-document are one. */

export interface Unit {
  /** As it was given: the key of its result. */
  readonly text: string;
  readonly script: boolean;
}

/** `<< 'EOF'` and `<<-EOF`; `<<<` is a text of one line. */
const hereDocument = /(?<!<)<<(?!<)(-?)\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))/;

/** A list may hold a here-document line by line; it is run as the one command that it is. */
export function unitsOf(entries: readonly string[]): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < entries.length; at++) {
    const text = entries[at] ?? "";
    const end = text.includes("\n") ? -1 : hereDocumentEnd(entries, at);
    const lines = end < 0 ? text.split(/\r\n|\n|\r/) : entries.slice(at, end + 1);
    if (end >= 0) at = end;
    // A line end behind the last line is what a file leaves there.
    while (lines.length > 1 && lines.at(-1) === "") lines.pop();
    if (lines.every((line) => line.trim() === "")) continue;
    units.push({ text: lines.join("\n"), script: lines.length > 1 });
  }
  return units;
}

/** Which entry ends the here-document that one begins; -1 where there is none. */
function hereDocumentEnd(entries: readonly string[], from: number): number {
  const [, dash, ...words] = hereDocument.exec(entries[from] ?? "") ?? [];
  const word = words.find((found) => found !== undefined);
  if (word === undefined) return -1;
  return entries.findIndex(
    (entry, at) => at > from && (dash === "-" ? entry.replace(/^\t+/, "") : entry) === word,
  );
}
