/** The order of errors of one mapping in Cerberus. */

import { attempt, compare, type Value } from "../../python/index.ts";
import type { Fault } from "./faults.ts";

/** Beyond it, equal errors keep their order. */
const MAX_TURNED = 63;

/**
 * The errors of one mapping, by field and then by rule. Cerberus sorts them again at each error, and to its
 * comparison the errors of one rule each come before the other: their order follows from how Python sorts.
 */
export function inOrder(batches: Iterable<readonly Fault[]>): readonly Fault[] {
  let sorted: Fault[] = [];
  for (const batch of batches) {
    sorted.push(...batch);
    if (sorted.length <= MAX_TURNED && batch.length > 0) sorted = sortedOnce(sorted);
  }
  return sorted.length <= MAX_TURNED ? sorted : sorted.sort(stably);
}

const stably = (a: Fault, b: Fault): number => {
  const [before, after] = [isBefore(a, b), isBefore(b, a)];
  return before === after ? 0 : before ? -1 : 1;
};

/** Turns a falling start round, then inserts the others, as Python does with up to 63 items. */
function sortedOnce(faults: readonly Fault[]): Fault[] {
  const [first, second] = faults;
  if (first === undefined || second === undefined) return [...faults];
  const falls = isBefore(second, first);
  const sorted = [first];
  let isStart = true;
  let last = first;
  for (const fault of faults.slice(1)) {
    isStart &&= isBefore(fault, last) === falls;
    if (isStart && falls) sorted.unshift(fault);
    else if (isStart) sorted.push(fault);
    else sorted.splice(placeOf(fault, sorted), 0, fault);
    last = fault;
  }
  return sorted;
}

function placeOf(fault: Fault, sorted: readonly Fault[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const existing = sorted[middle];
    if (existing !== undefined && isBefore(fault, existing)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isBefore(a: Fault, b: Fault): boolean {
  const [x, y] = [fieldOf(a), fieldOf(b)];
  if (x === y) return a.rule <= b.rule;
  if (typeof x !== typeof y) return typeof x !== "string";
  return attempt(
    () => compare("<", x, y),
    () => false,
    "TypeError",
  );
}

/** Errors of one mapping differ in the last part of their paths only. */
const fieldOf = ({ path }: Fault): Value => path.at(-1) ?? null;
