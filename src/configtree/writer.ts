/** Lines in the sections that they belong to, which are entered and left as needed. */
import type { Entry } from "./model.ts";

export function createWriter() {
  const lines: string[] = [];
  const open: Entry[] = [];
  function leaveTo(depth: number): void {
    while (open.length > depth) {
      const entry = open.pop();
      if (entry !== undefined) lines.push(indented(entry.leaving, open.length));
    }
  }
  return {
    /** Only the first line of a text is indented. */
    write(path: readonly Entry[], [first = "", ...rest]: readonly string[]): void {
      let same = 0;
      while (same < open.length && open[same]?.key === path[same]?.key) same++;
      leaveTo(same);
      for (const entry of path.slice(same)) {
        lines.push(indented(entry.lines[0] ?? "", open.length));
        open.push(entry);
      }
      lines.push(indented(first, path.length), ...rest);
    },
    /** The last line that was written is this section. */
    enter: (entry: Entry): void => void open.push(entry),
    lines(): readonly string[] {
      leaveTo(0);
      return lines;
    },
  };
}

const indented = (line: string, depth: number) => " ".repeat(depth) + line;
