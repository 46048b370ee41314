/** Paths of results: forming them with values in, walking them, and what they create on the way. */
import { PyDict } from "../python/dict.ts";
import { updateDict } from "../python/dicts.ts";
import type { Meter } from "../python/limits.ts";
import { str } from "../python/repr.ts";
import type { Value } from "../python/values.ts";

/** A name and how many asterisks it had. */
export interface PathItem {
  readonly name: string;
  readonly stars: string;
}

type RawPath = (string | PathItem)[];

export interface Paths {
  root(): Value;
  /** Creates what is missing and gives what stands at the end. A null path `_` is taken off the path. */
  reach(path: PathItem[]): Value | undefined;
  /** The dictionary at the end becomes a list of itself and `data`. */
  toList(path: PathItem[], data: Value): void;
  /** Puts values into `{{ name }}`; false: one is unknown. Changes `path`. */
  form(path: RawPath, result: Value, cache: Map<string, Value>, vars: PyDict): PathItem[] | false;
}

const DYNAMIC = /\{\{\s*(\S+)\s*\}\}/g;
const SHORT = /\{\{\s*(\S+?)\s*\}\}/g;

export function createPaths(before: Value, keysToInt: boolean, meter: Meter): Paths {
  let root = before;
  const key = (name: string): Value => (keysToInt && /^\p{Nd}+$/u.test(name) ? Number(name) : name);

  /** The branch that a path describes. */
  function branch(path: readonly PathItem[]): PyDict {
    const [first, ...rest] = path;
    if (first === undefined) return new PyDict();
    const inner: Value = first.stars === "*" ? (rest.length === 0 ? [] : [branch(rest)]) : branch(rest);
    return PyDict.from([[key(first.name), inner]]);
  }

  function reach(path: PathItem[], at: Value): Value | undefined {
    if (path.length === 0) return at;
    if (at instanceof PyDict) {
      if (path[0]?.name === "_") {
        if (path.length === 1) return at;
        path.shift();
      }
      const name = key(path[0]?.name ?? "");
      if (!at.has(name)) updateDict(at, [branch(path)], undefined, meter);
      const next = at.get(name);
      return next === undefined ? undefined : reach(path.slice(1), next);
    }
    if (!Array.isArray(at)) return undefined;
    if (at.length === 0) at.push(branch(path));
    return reach(path, at.at(-1) ?? null);
  }

  /** Null where the path does not lead on, as in the reference. */
  function listed(at: Value, path: PathItem[], data: Value): Value {
    const [first] = path;
    if (first === undefined) return [at, data];
    if (first.name === "_") {
      if (path.length === 1) {
        const target = Array.isArray(at) ? at.at(-1) : at;
        if (target instanceof PyDict) updateDict(target, [data], undefined, meter);
        return at;
      }
      path.shift();
    }
    const name = path[0]?.name ?? "";
    const owner = Array.isArray(at) ? at.at(-1) : at;
    if (!(owner instanceof PyDict)) return null;
    const next = owner.get(name);
    if (next === undefined) return null;
    owner.set(name, listed(next, path.slice(1), data));
    return at;
  }

  function form(path: RawPath, result: Value, cache: Map<string, Value>, vars: PyDict): PathItem[] | false {
    const formed: PathItem[] = [];
    for (const [i, item] of path.entries()) {
      if (typeof item !== "string") {
        formed.push(item);
        continue;
      }
      let name = item.replace(/\*+$/, "");
      const stars = "*".repeat(item.length - name.length);
      for (const match of [...name.matchAll(DYNAMIC)]) {
        const variable = match[1] ?? "";
        const value = valueFor(variable, result, cache, vars);
        if (value === undefined) return false;
        name = insert(name, variable, value);
      }
      const made = { name, stars };
      path[i] = made;
      formed.push(made);
    }
    return formed;
  }

  /** A value of the record leaves it for the path, and is remembered for the paths of its children. */
  function valueFor(
    name: string,
    result: Value,
    cache: Map<string, Value>,
    vars: PyDict,
  ): string | undefined {
    const own = result instanceof PyDict ? result.get(name) : undefined;
    if (own !== undefined && result instanceof PyDict) {
      cache.set(name, own);
      result.delete(name);
      return str(own, meter);
    }
    const value = cache.get(name) ?? vars.get(name);
    return value === undefined ? undefined : str(value, meter);
  }

  return {
    root: () => root,
    reach: (path) => reach(path, root),
    toList(path, data) {
      root = listed(root, path, data);
    },
    form,
  };
}

/** Everywhere the name stands in braces; what it is replaced by is taken as it is. */
function insert(text: string, name: string, value: string): string {
  return text.replace(SHORT, (whole, found: string) => (found === name ? value : whole));
}
