/** One side of a change, all devices or all groups: the entries before, and an overlay of writes. */
import type { EntryKind } from "../api/inventory.ts";
import type { NewInventoryEntry } from "../store/port.ts";
import type { Difference } from "./diff.ts";
import type { Entry } from "./state.ts";

export interface Side<T> {
  readonly kind: EntryKind;
  readonly before: ReadonlyMap<string, Entry<T>>;
  /** By key: the written entry, or undefined if removed. */
  readonly over: Map<string, T | undefined>;
  /** Paths in the document, by key. */
  readonly places: Map<string, string>;
  readonly written: NewInventoryEntry[];
  readonly differences: Difference[];
  unchanged: number;
  /** Growth of the total JSON length. */
  growth: number;
}

export function createSide<T>(kind: EntryKind, before: ReadonlyMap<string, Entry<T>>): Side<T> {
  return {
    kind,
    before,
    over: new Map(),
    places: new Map(),
    written: [],
    differences: [],
    unchanged: 0,
    growth: 0,
  };
}

/** The entry after the change. */
export function afterOf<T>({ over, before }: Side<T>, key: string): T | undefined {
  return over.has(key) ? over.get(key) : before.get(key)?.own;
}

export function* allAfter<T>({ over, before }: Side<T>): Generator<[string, T]> {
  for (const [key, { own }] of before) if (!over.has(key)) yield [key, own];
  for (const [key, own] of over) if (own !== undefined) yield [key, own];
}

export function countAfter<T>({ before, differences }: Side<T>): number {
  return differences.reduce(
    (count, difference) =>
      count + (difference.before === undefined ? 1 : 0) - (difference.after === undefined ? 1 : 0),
    before.size,
  );
}

export function removesSome<T>({ differences }: Side<T>): boolean {
  return differences.some(({ after }) => after === undefined);
}
