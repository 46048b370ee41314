/** The difference of two configurations as trees: the order of lines counts only where the platform says so. */
import { compareLines } from "../base/text/line-diff.ts";
import { shownLine } from "./lines.ts";
import { anyOf, type TreeRules } from "./rules.ts";
import { type ConfigNode, parseTree } from "./tree.ts";

/**
 * `within`: the line is in both texts, and something below it differs. `moved`: its place among lines whose order
 * counts differs; what differs below it too is in `children`.
 */
export type TreeChangeKind = "added" | "removed" | "moved" | "within";

export interface TreeChange {
  readonly change: TreeChangeKind;
  /** The line, without line end; of a text block all its lines. */
  readonly text: string;
  /** Number of the line in each text, from 1. */
  readonly from?: number;
  readonly to?: number;
  /** Of an added or removed line, all lines below it. */
  readonly children: readonly TreeChange[];
}

/** A node without notes and ignored lines. */
interface Entry {
  readonly node: ConfigNode;
  /** What it is compared by: its words. */
  readonly key: string;
  /** Equal for entries that are equal with all below them, whatever the order of lines that have none. */
  readonly id: number;
  /** Its order among its neighbours means nothing. */
  readonly isFree: boolean;
  readonly entries: readonly Entry[];
}

/** Comments and blank lines are not compared. Takes time linear in the lengths, except where `compareLines` does not. */
export function compareTrees(a: string, b: string, rules: TreeRules = {}): TreeChange[] {
  if (a === b) return [];
  const ids = new Map<string, number>();
  const entriesOf = createEntries(rules, ids);
  return changesBetween(entriesOf(parseTree(a, rules)), entriesOf(parseTree(b, rules)));
}

function createEntries({ unordered, ordered, ignore }: TreeRules, ids: Map<string, number>) {
  const isUnordered = anyOf(unordered);
  const isOrdered = anyOf(ordered);
  const isIgnored = anyOf(ignore);
  const idOf = (key: string, entries: readonly Entry[]): number => {
    const [free, kept]: [number[], number[]] = [[], []];
    for (const { isFree, id } of entries) (isFree ? free : kept).push(id);
    const content = `${kept.join()};${free.sort((one, other) => one - other).join()};${key}`;
    const id = ids.get(content) ?? ids.size;
    ids.set(content, id);
    return id;
  };
  return function entriesOf(nodes: readonly ConfigNode[]): Entry[] {
    return nodes.flatMap((node) => {
      const [first = "", ...more] = node.lines.map(shownLine);
      if (node.isNote || isIgnored(first)) return [];
      const entries = entriesOf(node.children);
      const key = [first.trim(), ...more].join("\n");
      const isFree = isUnordered(first) && !isOrdered(first);
      return [{ node, key, id: idOf(key, entries), isFree, entries }];
    });
  };
}

function changesBetween(before: readonly Entry[], after: readonly Entry[]): TreeChange[] {
  const kept = (entries: readonly Entry[]) => entries.filter(({ isFree }) => !isFree);
  const partners = new Map<Entry, { readonly other: Entry; readonly isMoved: boolean }>();
  pairFree(before, after, (old, fresh) => partners.set(old, { other: fresh, isMoved: false }));
  pairKept(kept(before), kept(after), (old, fresh, isMoved) => partners.set(old, { other: fresh, isMoved }));
  return inOrder(before, after, partners);
}

type Pair = (old: Entry, fresh: Entry) => void;

/** Entries of equal words are pairs: first those that are equal with all below them, then in order. */
function pairFree(before: readonly Entry[], after: readonly Entry[], pair: Pair): void {
  const free = (entries: readonly Entry[]) => entries.filter(({ isFree }) => isFree);
  const rest = pairBy(free(before), free(after), ({ id }) => id, pair);
  pairBy(rest.before, rest.after, ({ key }) => key, pair);
}

/** @returns those without a partner */
function pairBy<K>(
  before: readonly Entry[],
  after: readonly Entry[],
  keyOf: (entry: Entry) => K,
  pair: Pair,
): { before: Entry[]; after: Entry[] } {
  const waiting = Map.groupBy(before.toReversed(), keyOf);
  const unpaired = after.filter((fresh) => {
    const old = waiting.get(keyOf(fresh))?.pop();
    if (old !== undefined) pair(old, fresh);
    return old === undefined;
  });
  const left = new Set([...waiting.values()].flat());
  return { before: before.filter((entry) => left.has(entry)), after: unpaired };
}

/** Entries in an order that counts: by their longest common order; the same line elsewhere has moved. */
function pairKept(
  before: readonly Entry[],
  after: readonly Entry[],
  pair: (old: Entry, fresh: Entry, isMoved: boolean) => void,
): void {
  const keys = (entries: readonly Entry[]) => entries.map(({ key }) => key);
  const [gone, come]: [Entry[], Entry[]] = [[], []];
  const [keysBefore, keysAfter] = [keys(before), keys(after)];
  let [x, y] = [0, 0];
  const equalUntil = (until: number) => {
    for (; x < until; x++, y++) {
      const [old, fresh] = [before[x], after[y]];
      if (old !== undefined && fresh !== undefined) pair(old, fresh, false);
    }
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of compareLines(keysBefore, keysAfter).changes) {
    equalUntil(oldFrom);
    for (const entry of before.slice(oldFrom, oldTo)) gone.push(entry);
    for (const entry of after.slice(newFrom, newTo)) come.push(entry);
    [x, y] = [oldTo, newTo];
  }
  equalUntil(before.length);
  const moved: Pair = (old, fresh) => pair(old, fresh, true);
  const rest = pairBy(gone, come, ({ id }) => id, moved);
  pairBy(rest.before, rest.after, ({ key }) => key, moved);
}

/** In the order of the new text; a removed line behind the one that it followed. */
function inOrder(
  before: readonly Entry[],
  after: readonly Entry[],
  partners: ReadonlyMap<Entry, { readonly other: Entry; readonly isMoved: boolean }>,
): TreeChange[] {
  const placed = new Map<Entry, TreeChange | undefined>();
  /** What was removed behind an entry of the new text; behind none: at the front. */
  const removedBehind = new Map<Entry | undefined, TreeChange[]>();
  let behind: Entry | undefined;
  for (const old of before) {
    const partner = partners.get(old);
    if (partner !== undefined) {
      const { other, isMoved } = partner;
      placed.set(other, changeOf(old, other, isMoved));
      if (!isMoved) behind = other;
      continue;
    }
    const removed = removedBehind.get(behind) ?? [];
    removed.push(whole("removed", old));
    removedBehind.set(behind, removed);
  }
  const changes = removedBehind.get(undefined) ?? [];
  for (const fresh of after) {
    const change = placed.has(fresh) ? placed.get(fresh) : whole("added", fresh);
    if (change !== undefined) changes.push(change);
    for (const removed of removedBehind.get(fresh) ?? []) changes.push(removed);
  }
  return changes;
}

function changeOf(old: Entry, fresh: Entry, isMoved: boolean): TreeChange | undefined {
  const isEqual = old.id === fresh.id;
  if (isEqual && !isMoved) return undefined;
  const children = isEqual ? [] : changesBetween(old.entries, fresh.entries);
  const places = { from: old.node.line, to: fresh.node.line };
  return { change: isMoved ? "moved" : "within", text: textOf(fresh), ...places, children };
}

function whole(change: "added" | "removed", entry: Entry): TreeChange {
  const { line } = entry.node;
  const place = change === "added" ? { to: line } : { from: line };
  const children = entry.entries.map((child) => whole(change, child));
  return { change, text: textOf(entry), ...place, children };
}

function textOf({ node }: Entry): string {
  return node.lines.map(shownLine).join("\n");
}

const marks: Readonly<Record<TreeChangeKind, string>> = { added: "+", removed: "-", moved: "~", within: " " };

/** The changes as text, each line behind a mark: `+`, `-`, `~` (moved), blank for what they stand below. */
export function treeText(changes: readonly TreeChange[]): string {
  const lines: string[] = [];
  const write = ({ change, text, children }: TreeChange) => {
    for (const line of text.split("\n")) lines.push(marks[change] + line);
    children.forEach(write);
  };
  changes.forEach(write);
  return lines.map((line) => `${line}\n`).join("");
}

/** Number of changed lines; moved ones count once. */
export function countTreeChanges(
  changes: readonly TreeChange[],
): Record<"added" | "removed" | "moved", number> {
  const counts = { added: 0, removed: 0, moved: 0 };
  const count = ({ change, children }: TreeChange) => {
    if (change !== "within") counts[change]++;
    children.forEach(count);
  };
  changes.forEach(count);
  return counts;
}
