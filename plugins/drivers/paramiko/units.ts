/**
 * Splits a configuration into units to run: a multi-line text is a script, and the lines of a here-document form one
 * unit.
 */

export interface Unit {
  /** The original text: the key of its result. */
  readonly text: string;
  readonly script: boolean;
}

/** `<< 'EOF'` and `<<-EOF`; `<<<` is a here-string. */
const hereDocument = /(?<!<)<<(?!<)(-?)\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))/;

/** A list may contain a here-document line by line; it runs as one command. */
export function unitsOf(entries: readonly string[]): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < entries.length; at++) {
    const text = entries[at] ?? "";
    const end = text.includes("\n") ? -1 : hereDocumentEnd(entries, at);
    const lines = end < 0 ? text.split(/\r\n|\n|\r/) : entries.slice(at, end + 1);
    if (end >= 0) at = end;
    // Files leave a trailing line end.
    while (lines.length > 1 && lines.at(-1) === "") lines.pop();
    if (lines.every((line) => line.trim() === "")) continue;
    units.push({ text: lines.join("\n"), script: lines.length > 1 });
  }
  return units;
}

/** Index of the entry that ends the here-document; -1 if there is none. */
function hereDocumentEnd(entries: readonly string[], from: number): number {
  const [, dash, ...words] = hereDocument.exec(entries[from] ?? "") ?? [];
  const delimiter = words.find((candidate) => candidate !== undefined);
  if (delimiter === undefined) return -1;
  return entries.findIndex(
    (entry, at) => at > from && (dash === "-" ? entry.replace(/^\t+/, "") : entry) === delimiter,
  );
}
