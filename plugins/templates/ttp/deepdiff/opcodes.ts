/** Edit operations between two lists, longest matching blocks first, as in Python's difflib. */

import type { Meter } from "../../python/index.ts";
export interface Opcode {
  readonly tag: "equal" | "replace" | "delete" | "insert";
  readonly from: readonly [start: number, end: number];
  readonly to: readonly [start: number, end: number];
}

interface Stretch {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** @param a, b keys of the items; equal items have equal keys. */
export function opcodes(a: readonly string[], b: readonly string[], meter: Meter): Opcode[] {
  const opcodes: Opcode[] = [];
  let [i, j] = [0, 0];
  for (const { a: at, b: other, size } of [
    ...stretches(a, b, meter),
    { a: a.length, b: b.length, size: 0 },
  ]) {
    const tag = i < at ? (j < other ? "replace" : "delete") : j < other ? "insert" : undefined;
    if (tag !== undefined) opcodes.push({ tag, from: [i, at], to: [j, other] });
    [i, j] = [at + size, other + size];
    if (size > 0) opcodes.push({ tag: "equal", from: [at, i], to: [other, j] });
  }
  return opcodes;
}

function stretches(a: readonly string[], b: readonly string[], meter: Meter): Stretch[] {
  const places = new Map<string, number[]>();
  b.forEach((key, at) => {
    const positions = places.get(key);
    if (positions === undefined) places.set(key, [at]);
    else positions.push(at);
  });

  function longest(fromA: number, toA: number, fromB: number, toB: number): Stretch {
    let best: Stretch = { a: fromA, b: fromB, size: 0 };
    let lengths = new Map<number, number>();
    for (let i = fromA; i < toA; i++) {
      const next = new Map<number, number>();
      for (const j of places.get(a[i] ?? "") ?? []) {
        meter.step();
        if (j < fromB) continue;
        if (j >= toB) break;
        const size = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, size);
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
      }
      lengths = next;
    }
    return best;
  }

  const stretches: Stretch[] = [];
  const open: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [fromA, toA, fromB, toB] = range;
    const stretch = longest(...range);
    if (stretch.size === 0) continue;
    stretches.push(stretch);
    if (fromA < stretch.a && fromB < stretch.b) open.push([fromA, stretch.a, fromB, stretch.b]);
    if (stretch.a + stretch.size < toA && stretch.b + stretch.size < toB)
      open.push([stretch.a + stretch.size, toA, stretch.b + stretch.size, toB]);
  }
  stretches.sort((x, y) => x.a - y.a || x.b - y.b);
  return joined(stretches);
}

/** Merges adjacent matching blocks. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const stretch of stretches) {
    const last = merged.at(-1);
    if (last !== undefined && last.a + last.size === stretch.a && last.b + last.size === stretch.b)
      merged.splice(-1, 1, { ...last, size: last.size + stretch.size });
    else merged.push(stretch);
  }
  return merged;
}

const CONTEXT = 3;

/** Lines as in Python's `difflib.unified_diff`, without file names. */
export function unifiedDiff(a: readonly string[], b: readonly string[], meter: Meter): string[] {
  const lines: string[] = [];
  for (const group of grouped(opcodes(a, b, meter))) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (lines.length === 0) lines.push("--- ", "+++ ");
    const from = range(first.from[0], last.from[1]);
    lines.push(`@@ -${from} +${range(first.to[0], last.to[1])} @@`);
    for (const { tag, from: old, to } of group) {
      if (tag === "equal") for (const line of a.slice(...old)) lines.push(` ${line}`);
      else {
        for (const line of a.slice(...old)) lines.push(`-${line}`);
        for (const line of b.slice(...to)) lines.push(`+${line}`);
      }
    }
  }
  return lines;
}

function range(start: number, end: number): string {
  const size = end - start;
  if (size === 1) return String(start + 1);
  return `${size === 0 ? start : start + 1},${size}`;
}

/** Groups changes with up to three lines of context. */
function grouped(codes: readonly Opcode[]): Opcode[][] {
  const cut = ({ tag, from, to }: Opcode, head: number, tail: number): Opcode => ({
    tag,
    from: [from[0] + head, from[1] - tail],
    to: [to[0] + head, to[1] - tail],
  });
  const groups: Opcode[][] = [];
  let group: Opcode[] = [];
  codes.forEach((code, i) => {
    const size = code.from[1] - code.from[0];
    if (code.tag !== "equal") group.push(code);
    else if (i === 0) group.push(cut(code, Math.max(0, size - CONTEXT), 0));
    else if (i === codes.length - 1) group.push(cut(code, 0, Math.max(0, size - CONTEXT)));
    else if (size > 2 * CONTEXT) {
      group.push(cut(code, 0, size - CONTEXT));
      groups.push(group);
      group = [cut(code, size - CONTEXT, 0)];
    } else group.push(code);
  });
  if (group.some(({ tag }) => tag !== "equal")) groups.push(group);
  return groups;
}
