/** Matches are returned in text order, in whatever order they were found. */
import { expect, test } from "vitest";
import { Entries } from "../run/entries.ts";
import type { Group, Line } from "../template/group.ts";

const group = (name: string): Group => ({
  path: [],
  name,
  id: { name, key: name },
  parent: undefined,
  index: 0,
  inputs: [],
  outputs: [],
  functions: [],
  defaults: new Map(),
  hasStartDefault: false,
  start: [],
  normal: [],
  end: [],
  children: [],
});
const [a, b] = [group("a"), group("b")];
const line = (of: Group): Line => ({
  get pattern(): never {
    throw new Error("nothing is matched here");
  },
  variables: new Map(),
  action: "add",
  group: of,
  isLine: false,
});

const shown = (entries: Entries) => entries.sorted().map((one) => `${one.at}${one.line.group.name}`);

test("matches are ordered by position, then by order of adding, defaults last", () => {
  const entries = new Entries();
  for (const at of [5, 900, 16_777_216]) entries.add(at, line(a), false);
  for (const at of [5, 7, 899]) entries.add(at, line(b), false);
  entries.addBehind(line(b), []);
  expect(shown(entries)).toEqual(["5a", "5b", "7b", "899b", "900a", "16777216a", "100000000b"]);
});

test("matches after the end of a group are dropped, except one after another at its position", () => {
  const entries = new Entries();
  for (const [at, of] of [
    [10, a],
    [20, a],
    [20, a],
    [20, b],
    [30, a],
    [30, b],
    [30, a],
  ] as const)
    entries.add(at, line(of), false);
  entries.drop(a, 10);
  expect(shown(entries)).toEqual(["10a", "20a", "20b", "30b"]);
});
