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
  /** A path without variables as it is formed always; undefined: it has some. */
  fixed(path: readonly string[]): PathItem[] | undefined;
  /** Puts values into `{{ name }}`; false: one is unknown. Changes `path`. */
  form(path: RawPath, result: Value, cache: Map<string, Value>, vars: PyDict): PathItem[] | false;
}

const DYNAMIC = /\{\{\s*(\S+)\s*\}\}/g;

/** A path's item as the template gives it. */
interface Pattern {
  readonly name: string;
  readonly stars: string;
  /** Names in its braces. */
  readonly variables: readonly string[];
  /** It is one variable and nothing else. */
  readonly whole: boolean;
  /** What it is formed to when there are no variables. */
  readonly formed: PathItem;
}

function readPattern(item: string): Pattern {
  const name = item.replace(/\*+$/, "");
  const stars = "*".repeat(item.length - name.length);
  const variables = [...name.matchAll(DYNAMIC)].map((match) => match[1] ?? "");
  const whole = variables.length === 1 && WHOLE.exec(name)?.[1] === variables[0];
  return { name, stars, variables, whole, formed: { name, stars } };
}
const WHOLE = /^\{\{\s*([^\s{}]+)\s*\}\}$/;
const SHORT = /\{\{\s*(\S+?)\s*\}\}/g;

export function createPaths(before: Value, keysToInt: boolean, meter: Meter): Paths {
  let root = before;
  const patterns = new Map<string, Pattern>();
  const patternOf = (item: string): Pattern => {
    let pattern = patterns.get(item);
    if (pattern === undefined) {
      pattern = readPattern(item);
      patterns.set(item, pattern);
    }
    return pattern;
  };
  const key = (name: string): Value => (keysToInt && /^\p{Nd}+$/u.test(name) ? Number(name) : name);

  /** The branch that a path describes. */
  function branch(path: readonly PathItem[]): PyDict {
    const dict = new PyDict();
    const [first] = path;
    if (first !== undefined) dict.set(key(first.name), behind(path, 0));
    return dict;
  }

  /** What stands behind the item at `index`. */
  function behind(path: readonly PathItem[], index: number): Value {
    const rest = path.slice(index + 1);
    if (path[index]?.stars !== "*") return branch(rest);
    return rest.length === 0 ? [] : [branch(rest)];
  }

  /** Only of the first item a null path is taken off for the caller, too. */
  function reach(path: PathItem[], from: Value): Value | undefined {
    let at = from;
    let index = 0;
    while (index < path.length) {
      if (Array.isArray(at)) {
        if (at.length === 0) at.push(branch(path.slice(index)));
        at = at.at(-1) ?? null;
        continue;
      }
      if (!(at instanceof PyDict)) return undefined;
      if (path[index]?.name === "_") {
        if (index === path.length - 1) return at;
        if (index === 0) path.shift();
        else index++;
      }
      const name = key(path[index]?.name ?? "");
      let next = at.get(name);
      if (next === undefined) {
        next = behind(path, index);
        at.set(name, next);
      }
      at = next;
      index++;
    }
    return at;
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
    for (let i = 0; i < path.length; i++) {
      const item = path[i];
      if (item === undefined) break;
      const made = typeof item === "string" ? formItem(patternOf(item), result, cache, vars) : item;
      if (made === false) return false;
      path[i] = made;
      formed.push(made);
    }
    return formed;
  }

  function formItem(
    pattern: Pattern,
    result: Value,
    cache: Map<string, Value>,
    vars: PyDict,
  ): PathItem | false {
    const { stars, variables, whole } = pattern;
    if (variables.length === 0) return pattern.formed;
    let { name } = pattern;
    for (const variable of variables) {
      const value = valueFor(variable, result, cache, vars);
      if (value === undefined) return false;
      name = whole ? value : insert(name, variable, value);
    }
    return { name, stars };
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

  const fixedPaths = new Map<readonly string[], PathItem[] | undefined>();
  function fixed(path: readonly string[]): PathItem[] | undefined {
    if (fixedPaths.has(path)) return fixedPaths.get(path);
    const items = path.map(patternOf);
    const made = items.some(({ variables }) => variables.length > 0)
      ? undefined
      : items.map(({ formed }) => formed);
    fixedPaths.set(path, made);
    return made;
  }

  return {
    fixed,
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

/** Of a path whose null item may be taken off. */
export function copied(path: PathItem[]): PathItem[] {
  return path[0]?.name === "_" ? [...path] : path;
}

export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
