/** A unified diff (`diff -u`) of two texts, for systems without their own diff. */
const context = 3;
/** Texts with more differing lines are shown as one change: the search is quadratic. */
const maxEdits = 400;

interface Step {
  readonly kind: " " | "-" | "+";
  readonly line: string;
}

/** Empty if the texts are equal. */
export function unifiedDifference(before: string, after: string): string {
  const steps = stepsOf(linesOf(before), linesOf(after));
  const changes = steps.flatMap(({ kind }, at) => (kind === " " ? [] : [at]));
  const hunks: { from: number; to: number }[] = [];
  for (const at of changes) {
    const last = hunks.at(-1);
    const to = Math.min(steps.length, at + context + 1);
    if (last !== undefined && at - context <= last.to) last.to = to;
    else hunks.push({ from: Math.max(0, at - context), to });
  }
  return hunks
    .map(({ from, to }) => [headOf(steps, from, to), ...steps.slice(from, to).map(textOf)].join("\n"))
    .join("\n");
}

/** A last line end does not begin another line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const textOf = ({ kind, line }: Step): string => `${kind}${line}`;

function headOf(steps: readonly Step[], from: number, to: number): string {
  const count = (kind: "-" | "+", begin: number, end: number) =>
    steps.slice(begin, end).filter((step) => step.kind === kind || step.kind === " ").length;
  const range = (kind: "-" | "+") => `${kind}${count(kind, 0, from) + 1},${count(kind, from, to)}`;
  return `@@ ${range("-")} ${range("+")} @@`;
}

function stepsOf(before: readonly string[], after: readonly string[]): readonly Step[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const maxTail = Math.min(before.length, after.length) - head;
  while (tail < maxTail && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]) => lines.map((line): Step => ({ kind: " ", line }));
  return [
    ...same(before.slice(0, head)),
    ...shortestSteps(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** Myers' algorithm: computes the furthest point for each number of edits, then backtracks from the end. */
function shortestSteps(before: readonly string[], after: readonly string[]): readonly Step[] {
  const reached: Map<number, number>[] = [];
  let places = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(maxEdits, before.length + after.length); edits++) {
    reached.push(places);
    const next = new Map(places);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let at = startOf(places, diagonal, edits);
      while (at < before.length && at - diagonal < after.length && before[at] === after[at - diagonal]) at++;
      next.set(diagonal, at);
      if (at >= before.length && at - diagonal >= after.length) return walkedBack(reached, before, after);
    }
    places = next;
  }
  return [
    ...before.map((line): Step => ({ kind: "-", line })),
    ...after.map((line): Step => ({ kind: "+", line })),
  ];
}

function startOf(places: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const below = places.get(diagonal - 1) ?? -1;
  const above = places.get(diagonal + 1) ?? -1;
  return diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
}

function walkedBack(
  reached: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly Step[] {
  const steps: Step[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = reached.length - 1; edits >= 0; edits--) {
    const places = reached[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const below = places.get(diagonal - 1) ?? -1;
    const above = places.get(diagonal + 1) ?? -1;
    const isInsert = diagonal === -edits || (diagonal !== edits && below < above);
    const startX = edits === 0 ? 0 : isInsert ? above : below + 1;
    const startY = startX - diagonal;
    while (x > startX && y > startY) {
      steps.push({ kind: " ", line: before[--x] ?? "" });
      y--;
    }
    if (edits === 0) break;
    if (isInsert) steps.push({ kind: "+", line: after[--y] ?? "" });
    else steps.push({ kind: "-", line: before[--x] ?? "" });
  }
  return steps.reverse();
}
