/** Differences of two values as the DeepDiff library of Python tells them. */
import { splitLines } from "../../python/blanks.ts";
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { repr } from "../../python/repr.ts";
import { isInt, PyFloat, PyTuple, typeName, type Value } from "../../python/values.ts";
import { opcodes, unifiedDiff } from "./opcodes.ts";

/** Kind of difference -> path -> what to tell. */
type Report = Map<string, Map<string, Value>>;

/** @param verbose whether values of items that were added or removed, and moves, are told. */
export function deepDiff(before: Value, after: Value, verbose: boolean, meter: Meter): PyDict {
  const report: Report = new Map();
  compare(before, after, "root", report, 0);
  const told = [...report].map(([kind, found]): [Value, Value] => {
    const isList = kind.startsWith("dictionary_item") && !verbose;
    return [kind, isList ? [...found.keys()] : PyDict.from(found)];
  });
  return PyDict.from(told);

  function compare(a: Value, b: Value, path: string, into: Report, depth: number): void {
    if (depth > meter.limits.depth)
      throw limitError(`values nested deeper than ${meter.limits.depth} levels`);
    meter.step();
    if (a === b) return;
    if (typeName(a) !== typeName(b))
      add(into, "type_changes", path, {
        old_type: typeName(a),
        new_type: typeName(b),
        old_value: a,
        new_value: b,
      });
    else if (a instanceof PyDict && b instanceof PyDict) compareDicts(a, b, path, into, depth);
    else if (Array.isArray(a) && Array.isArray(b)) compareLists(a, b, path, into, depth);
    else if (a instanceof PyTuple && b instanceof PyTuple) compareLists(a.items, b.items, path, into, depth);
    else if (!eq(a, b)) add(into, "values_changed", path, { new_value: b, old_value: a, ...lineDiff(a, b) });
  }

  function lineDiff(a: Value, b: Value): Readonly<Record<string, Value>> {
    if (typeof a !== "string" || typeof b !== "string" || !`${a}${b}`.includes("\n")) return {};
    const lines = unifiedDiff(splitLines(a, false), splitLines(b, false), meter);
    return lines.length === 0 ? {} : { diff: lines.join("\n") };
  }

  function compareDicts(a: PyDict, b: PyDict, path: string, into: Report, depth: number): void {
    const at = (key: Value) => `${path}[${typeof key === "string" ? `'${key}'` : repr(key, meter)}]`;
    for (const [key, value] of b.entries())
      if (!a.has(key)) put(into, "dictionary_item_added", at(key), value);
    for (const [key, value] of a.entries()) {
      const other = b.get(key);
      if (other === undefined) put(into, "dictionary_item_removed", at(key), value);
      else compare(value, other, at(key), into, depth + 1);
    }
  }

  function compareLists(
    a: readonly Value[],
    b: readonly Value[],
    path: string,
    into: Report,
    depth: number,
  ): void {
    const whole: readonly [number, number][] = [
      [0, a.length],
      [0, b.length],
    ];
    if (![...a, ...b].every(isBasic)) {
      byPlace(a, b, whole, path, into, depth);
      return;
    }
    const byContent: Report = new Map();
    const keys = (items: readonly Value[]) => items.map((item) => keyOf(item, meter));
    for (const { tag, from, to } of opcodes(keys(a), keys(b), meter))
      if (tag !== "equal") byPlace(a, b, [from, to], path, byContent, depth);
    const direct: Report = new Map();
    byPlace(a, b, whole, path, direct, depth);
    const shorter = count(byContent) > 1 && count(byContent) >= count(direct) ? direct : byContent;
    for (const [kind, found] of shorter) for (const [where, one] of found) put(into, kind, where, one);
  }

  /** Items of two stretches, one by one. */
  function byPlace(
    a: readonly Value[],
    b: readonly Value[],
    stretches: readonly (readonly [number, number])[],
    path: string,
    into: Report,
    depth: number,
  ): void {
    const [[i = 0, endA = 0] = [], [j = 0, endB = 0] = []] = stretches;
    for (let k = 0; i + k < endA || j + k < endB; k++) {
      const [x, y] = [a[i + k], b[j + k]];
      if (j + k >= endB || y === undefined)
        put(into, "iterable_item_removed", `${path}[${i + k}]`, x ?? null);
      else if (i + k >= endA || x === undefined) put(into, "iterable_item_added", `${path}[${j + k}]`, y);
      else if (i !== j && eq(x, y)) {
        const where = { new_path: `${path}[${j + k}]`, value: y };
        if (verbose) add(into, "iterable_item_moved", `${path}[${i + k}]`, where);
      } else compare(x, y, `${path}[${j + k}]`, into, depth + 1);
    }
  }
}

function put(into: Report, kind: string, path: string, what: Value): void {
  const found = into.get(kind);
  if (found === undefined) into.set(kind, new Map([[path, what]]));
  else found.set(path, what);
}

const add = (into: Report, kind: string, path: string, what: Readonly<Record<string, Value>>): void =>
  put(into, kind, path, PyDict.from(Object.entries(what)));

const count = (report: Report): number => [...report.values()].reduce((sum, one) => sum + one.size, 0);

const isBasic = (value: Value): boolean =>
  value === null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  value instanceof PyFloat ||
  isInt(value);

/** Equal for equal items: 1, 1.0 and True are one. */
function keyOf(value: Value, meter: Meter): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value instanceof PyFloat && Number.isInteger(value.value)) return String(BigInt(value.value));
  return repr(value, meter);
}
