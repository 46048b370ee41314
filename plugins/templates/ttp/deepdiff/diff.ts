/** Differences between two values in the format of Python's DeepDiff library. */

import {
  eq,
  isInt,
  limitError,
  type Meter,
  PyDict,
  PyFloat,
  PyTuple,
  repr,
  splitLines,
  typeName,
  type Value,
} from "../../python/index.ts";
import { opcodes, unifiedDiff } from "./opcodes.ts";

/** Kind of difference -> path -> details. */
type Report = Map<string, Map<string, Value>>;

/** The path of the compared values, and the report to add to. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly into: Report;
}

type Stretch = readonly [start: number, end: number];

/** @param verbose whether to report the values of added and removed items, and moves. */
export function deepDiff(before: Value, after: Value, verbose: boolean, meter: Meter): PyDict {
  const report: Report = new Map();
  compare(before, after, { path: "root", depth: 0, into: report });
  joinReplaced(report);
  const entries = [...report].map(([kind, found]): [Value, Value] => {
    const isList = kind.startsWith("dictionary_item") && !verbose;
    return [kind, isList ? [...found.keys()] : PyDict.from(found)];
  });
  return PyDict.from(entries);

  function compare(a: Value, b: Value, place: Place): void {
    if (place.depth > meter.limits.depth)
      throw limitError(`values nested deeper than ${meter.limits.depth} levels`);
    meter.step();
    if (a === b) return;
    const [old_type, new_type] = [typeName(a), typeName(b)];
    if (old_type !== new_type)
      put(place, "type_changes", "", fields({ old_type, new_type, old_value: a, new_value: b }));
    else if (a instanceof PyDict && b instanceof PyDict) compareDicts(a, b, place);
    else if (Array.isArray(a) && Array.isArray(b)) compareLists(a, b, place);
    else if (a instanceof PyTuple && b instanceof PyTuple) compareLists(a.items, b.items, place);
    else if (!eq(a, b))
      put(place, "values_changed", "", fields({ new_value: b, old_value: a, ...lineDiff(a, b) }));
  }

  function lineDiff(a: Value, b: Value): Readonly<Record<string, Value>> {
    if (typeof a !== "string" || typeof b !== "string" || !`${a}${b}`.includes("\n")) return {};
    const lines = unifiedDiff(splitLines(a, false), splitLines(b, false), meter);
    return lines.length === 0 ? {} : { diff: lines.join("\n") };
  }

  function compareDicts(a: PyDict, b: PyDict, place: Place): void {
    const at = (key: Value) => `[${typeof key === "string" ? `'${key}'` : repr(key, meter)}]`;
    for (const [key, value] of b.entries())
      if (!a.has(key) && !isPrivate(key)) put(place, "dictionary_item_added", at(key), value);
    for (const [key, value] of a.entries()) {
      if (isPrivate(key)) continue;
      const other = b.get(key);
      if (other === undefined) put(place, "dictionary_item_removed", at(key), value);
      else compare(value, other, inside(place, at(key)));
    }
  }

  function compareLists(a: readonly Value[], b: readonly Value[], place: Place): void {
    const direct: Report = new Map();
    byPlace(a, b, [0, a.length], [0, b.length], { ...place, into: direct });
    let shorter = direct;
    if ([...a, ...b].every(isBasic)) {
      const byContent: Report = new Map();
      const keys = (items: readonly Value[]) => items.map((item) => keyOf(item, meter));
      for (const { tag, from, to } of opcodes(keys(a), keys(b), meter))
        if (tag !== "equal") byPlace(a, b, from, to, { ...place, into: byContent });
      if (count(byContent) <= 1 || count(byContent) < count(direct)) shorter = byContent;
    }
    for (const [kind, found] of shorter)
      for (const [path, what] of found) put({ ...place, path }, kind, "", what);
  }

  /** Compares two ranges item by item. */
  function byPlace(
    a: readonly Value[],
    b: readonly Value[],
    [i, endA]: Stretch,
    [j, endB]: Stretch,
    place: Place,
  ): void {
    for (let k = 0; i + k < endA || j + k < endB; k++) {
      const [x, y] = [a[i + k], b[j + k]];
      const [from, to] = [`[${i + k}]`, `[${j + k}]`];
      if (j + k >= endB || y === undefined) put(place, "iterable_item_removed", from, x ?? null);
      else if (i + k >= endA || x === undefined) put(place, "iterable_item_added", to, y);
      else if (i !== j && eq(x, y)) {
        const move = fields({ new_path: place.path + to, value: y });
        if (verbose) put(place, "iterable_item_moved", from, move);
      } else compare(x, y, inside(place, to));
    }
  }
}

/** Keys that DeepDiff leaves out by default. */
const isPrivate = (key: Value): boolean => typeof key === "string" && key.startsWith("__");

/** An item removed and another added at the same place is a changed value. */
function joinReplaced(report: Report): void {
  const [removed, added] = [report.get("iterable_item_removed"), report.get("iterable_item_added")];
  if (removed === undefined || added === undefined) return;
  const changed = report.get("values_changed") ?? new Map<string, Value>();
  for (const [path, old_value] of [...removed]) {
    const new_value = added.get(path);
    if (new_value === undefined) continue;
    changed.set(path, fields({ new_value, old_value }));
    removed.delete(path);
    added.delete(path);
  }
  if (changed.size > 0) report.set("values_changed", changed);
  if (removed.size === 0) report.delete("iterable_item_removed");
  if (added.size === 0) report.delete("iterable_item_added");
}

const inside = ({ path, depth, into }: Place, at: string): Place => ({
  path: path + at,
  depth: depth + 1,
  into,
});

function put({ into, path }: Place, kind: string, at: string, value: Value): void {
  const changes = into.get(kind);
  if (changes === undefined) into.set(kind, new Map([[path + at, value]]));
  else changes.set(path + at, value);
}

const fields = (values: Readonly<Record<string, Value>>): PyDict => PyDict.from(Object.entries(values));

const count = (report: Report): number =>
  [...report.values()].reduce((sum, changes) => sum + changes.size, 0);

const isBasic = (value: Value): boolean =>
  value === null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  value instanceof PyFloat ||
  isInt(value);

/** A key that is equal for equal items: 1, 1.0 and True are equal. */
function keyOf(value: Value, meter: Meter): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value instanceof PyFloat && Number.isInteger(value.value)) return String(BigInt(value.value));
  return repr(value, meter);
}
