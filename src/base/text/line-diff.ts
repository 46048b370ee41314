/** Compares two texts line by line (Myers), with bounded work: very different texts are replaced as a whole. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

export interface Hunk {
  /** First line of the part in each text, from 1. */
  readonly oldFrom: number;
  readonly newFrom: number;
  readonly lines: readonly DiffLine[];
}

/** Removed and added lines that are looked for; the work is their square. */
const maxEdits = 1_000;
const contextLines = 3;

/** The whole of both texts; `approximate` if they differ in too many lines to find the shortest difference. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
): { lines: readonly DiffLine[]; approximate: boolean } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  const middle = shortest(old, fresh);
  return {
    lines: [
      ...before.slice(0, start).map(lineOf("same")),
      ...(middle ?? [...old.map(lineOf("removed")), ...fresh.map(lineOf("added"))]),
      ...before.slice(before.length - end).map(lineOf("same")),
    ],
    approximate: middle === undefined,
  };
}

const lineOf =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text });

/** Undefined: more edits than are looked for. */
function shortest(old: readonly string[], fresh: readonly string[]): DiffLine[] | undefined {
  const [n, m] = [old.length, fresh.length];
  const limit = Math.min(n + m, maxEdits);
  const reached = new Int32Array(2 * limit + 3);
  const at = (diagonal: number) => reached[diagonal + limit + 1] ?? 0;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reached.slice(limit + 1 - edits - 1, limit + 1 + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = isDown ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < n && x - diagonal < m && old[x] === fresh[x - diagonal]) x++;
      reached[diagonal + limit + 1] = x;
      if (x >= n && x - diagonal >= m) return walkedBack(old, fresh, trace);
    }
  }
  return undefined;
}

/** @param trace for each number of edits, how far its diagonals had been reached, from `-edits - 1` */
function walkedBack(
  old: readonly string[],
  fresh: readonly string[],
  trace: readonly Int32Array[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [old.length, fresh.length];
  const same = (until: number) => {
    while (x > until) {
      lines.push({ kind: "same", text: old[--x] ?? "" });
      y--;
    }
  };
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits] ?? new Int32Array();
    const at = (diagonal: number) => reached[diagonal + edits + 1] ?? 0;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const from = isDown ? at(diagonal + 1) : at(diagonal - 1);
    same(isDown ? from : from + 1);
    if (isDown) lines.push({ kind: "added", text: fresh[--y] ?? "" });
    else lines.push({ kind: "removed", text: old[--x] ?? "" });
  }
  same(0);
  return lines.reverse();
}

/** The parts that differ, with three equal lines around them. */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const hunks: { oldFrom: number; newFrom: number; lines: DiffLine[] }[] = [];
  let [oldAt, newAt] = [1, 1];
  /** Equal lines since the last difference. */
  let equal: DiffLine[] = [];
  let open = false;
  for (const line of lines) {
    if (line.kind === "same") equal.push(line);
    else {
      const hunk = hunks.at(-1);
      if (open && hunk && equal.length <= 2 * contextLines) hunk.lines.push(...equal, line);
      else {
        hunk?.lines.push(...equal.slice(0, contextLines));
        const before = equal.slice(-contextLines);
        hunks.push({
          oldFrom: oldAt - before.length,
          newFrom: newAt - before.length,
          lines: [...before, line],
        });
      }
      open = true;
      equal = [];
    }
    if (line.kind !== "added") oldAt++;
    if (line.kind !== "removed") newAt++;
  }
  hunks.at(-1)?.lines.push(...equal.slice(0, contextLines));
  return hunks;
}

const marks = { same: " ", removed: "-", added: "+" } as const;

/** In unified format, without the names of the texts; empty if they are equal. */
export function unifiedLines(before: string, after: string): string[] {
  const { lines } = diffLines(before.split("\n"), after.split("\n"));
  return hunksOf(lines).flatMap((hunk) => {
    const count = (other: DiffLine["kind"]) => hunk.lines.filter(({ kind }) => kind !== other).length;
    const head = `@@ -${hunk.oldFrom},${count("added")} +${hunk.newFrom},${count("removed")} @@`;
    return [head, ...hunk.lines.map(({ kind, text }) => marks[kind] + text)];
  });
}
