/** Hierarchical fair shares: each level divides what its parent gets, by its members' use. */
import { expect, test } from "vitest";
import { createShareTree } from "../../src/limits/share-tree.ts";

const path = (...keys: string[]) => keys.map((key) => ({ key, cost: 1 }));

function takes<T>(tree: { take(): T | undefined }, count: number): (T | undefined)[] {
  return Array.from({ length: count }, () => tree.take());
}
const countOf = (all: unknown[], item: unknown) => all.filter((taken) => taken === item).length;

test("two callers get equal shares, however many bulks one of them has", () => {
  const tree = createShareTree<string>();
  for (const bulk of ["b1", "b2", "b3"]) tree.makeReady(tree.leafOf(path("k1", bulk)), bulk);
  tree.makeReady(tree.leafOf(path("k2", "")), "single");
  const taken = takes(tree, 12);
  expect(countOf(taken, "single")).toBe(6);
  for (const bulk of ["b1", "b2", "b3"]) expect(countOf(taken, bulk)).toBe(2);
});

test("a leaf with ten times the cost gets a tenth of the turns, within its own level only", () => {
  const tree = createShareTree<string>();
  const leaf = (caller: string, key: string, cost: number) => tree.leafOf([...path(caller), { key, cost }]);
  tree.makeReady(leaf("k1", "cheap", 1), "cheap");
  tree.makeReady(leaf("k1", "dear", 10), "dear");
  tree.makeReady(leaf("k2", "dear", 10), "other");
  const taken = takes(tree, 220);
  expect(countOf(taken, "other")).toBe(110);
  expect(countOf(taken, "dear")).toBe(10);
});

test("a leaf that is not ready gets no turn, and an empty tree yields nothing", () => {
  const tree = createShareTree<string>();
  const [first, second] = [tree.leafOf(path("k1", "a")), tree.leafOf(path("k2", "b"))];
  expect(tree.take()).toBeUndefined();
  tree.makeReady(first, "a");
  tree.makeReady(second, "b");
  tree.unready(first, "a");
  expect(takes(tree, 3)).toEqual(["b", "b", "b"]);
  tree.unready(second, "b");
  expect(tree.take()).toBeUndefined();
});

test("queued counts add up to the root; an emptied leaf is removed and can return", () => {
  const tree = createShareTree<string>();
  const leaf = tree.leafOf(path("k1", "b1"));
  tree.change(leaf, 3);
  expect([leaf.queued, leaf.parent?.queued, tree.queued()]).toEqual([3, 3, 3]);
  tree.change(leaf, -3);
  expect(leaf.parent?.children.has("b1")).toBe(false);
  tree.change(leaf, 1);
  expect(tree.leafOf(path("k1", "b1"))).toBe(leaf);
});
