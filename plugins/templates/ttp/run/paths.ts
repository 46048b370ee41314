/** Result paths: formatting them with values, traversing them, and creating missing parts. */

import {
  escapePython,
  keptPattern,
  type Meter,
  PatternError,
  PyDict,
  str,
  toInteger,
  updateDict,
  type Value,
} from "../../python/index.ts";

/** A name and its trailing asterisks. */
export interface PathItem {
  readonly name: string;
  readonly stars: string;
}

type RawPath = (string | PathItem)[];

const DYNAMIC = /\{\{\s*(\S+)\s*\}\}/g;

/** A path item as written in the template. */
interface Pattern {
  readonly name: string;
  readonly stars: string;
  /** Names in braces. */
  readonly variables: readonly string[];
  /** Whether it consists of a single variable. */
  readonly isWhole: boolean;
  /** The item if there are no variables. */
  readonly formed: PathItem;
}

function readPattern(item: string): Pattern {
  const name = item.replace(/\*+$/, "");
  const stars = "*".repeat(item.length - name.length);
  const variables = [...name.matchAll(DYNAMIC)].map((match) => match[1] ?? "");
  const isWhole = variables.length === 1 && WHOLE.exec(name)?.[1] === variables[0];
  return { name, stars, variables, isWhole, formed: { name, stars } };
}
const WHOLE = /^\{\{\s*([^\s{}]+)\s*\}\}$/;
const SHORT = /\{\{\s*(\S+?)\s*\}\}/g;

export class Paths {
  private readonly patterns = new Map<string, Pattern>();
  private readonly fixedPaths = new Map<readonly string[], PathItem[] | undefined>();

  constructor(
    private top: Value,
    private readonly keysToInt: boolean,
    private readonly meter: Meter,
  ) {}

  get root(): Value {
    return this.top;
  }

  /** The items of a path without variables; undefined if it has some. */
  fixed(path: readonly string[]): PathItem[] | undefined {
    if (this.fixedPaths.has(path)) return this.fixedPaths.get(path);
    const items = path.map((item) => this.patternOf(item));
    const fixed = items.some(({ variables }) => variables.length > 0)
      ? undefined
      : items.map(({ formed }) => formed);
    this.fixedPaths.set(path, fixed);
    return fixed;
  }

  /** Substitutes `{{ name }}`; false if a value is missing. Modifies `path`. */
  form(path: RawPath, result: Value, cache: Map<string, Value>, vars: PyDict): PathItem[] | false {
    const formed: PathItem[] = [];
    for (let i = 0; i < path.length; i++) {
      const item = path[i];
      if (item === undefined) break;
      const formedItem =
        typeof item === "string" ? this.formItem(this.patternOf(item), result, cache, vars) : item;
      if (formedItem === false) return false;
      path[i] = formedItem;
      formed.push(formedItem);
    }
    return formed;
  }

  /**
   * Returns the value at the end of the path and creates missing parts. Null path items `_` are skipped; a
   * leading one is also removed from the caller's array.
   */
  reach(path: PathItem[]): Value | undefined {
    let at = this.top;
    let index = 0;
    while (index < path.length) {
      if (Array.isArray(at)) {
        if (at.length === 0) at.push(this.branch(path.slice(index)));
        at = at.at(-1) ?? null;
        continue;
      }
      if (!(at instanceof PyDict)) return undefined;
      if (path[index]?.name === "_") {
        if (index === path.length - 1) return at;
        if (index === 0) path.shift();
        else index++;
      }
      const name = this.key(path[index]?.name ?? "");
      let next = at.get(name);
      if (next === undefined) {
        next = this.behind(path, index);
        at.set(name, next);
      }
      at = next;
      index++;
    }
    return at;
  }

  /** Replaces the dictionary at the end of the path with a list of itself and `data`. */
  toList(path: PathItem[], data: Value): void {
    this.top = this.listed(this.top, path, data);
  }

  private patternOf(item: string): Pattern {
    let pattern = this.patterns.get(item);
    if (pattern === undefined) {
      pattern = readPattern(item);
      this.patterns.set(item, pattern);
    }
    return pattern;
  }

  private key(name: string): Value {
    return this.keysToInt && /^\p{Nd}+$/u.test(name) ? toInteger(name) : name;
  }

  /** A new branch for a path. */
  private branch(path: readonly PathItem[]): PyDict {
    const dict = new PyDict();
    const [first] = path;
    if (first !== undefined) dict.set(this.key(first.name), this.behind(path, 0));
    return dict;
  }

  /** A new value for the item at `index`. */
  private behind(path: readonly PathItem[], index: number): Value {
    const rest = path.slice(index + 1);
    if (path[index]?.stars !== "*") return this.branch(rest);
    return rest.length === 0 ? [] : [this.branch(rest)];
  }

  /** Returns null if the path does not exist, as in the reference. */
  private listed(at: Value, path: PathItem[], data: Value): Value {
    const [first] = path;
    if (first === undefined) return [at, data];
    if (first.name === "_") {
      if (path.length === 1) {
        const target = Array.isArray(at) ? at.at(-1) : at;
        if (target instanceof PyDict) updateDict(target, [data], undefined, this.meter);
        return at;
      }
      path.shift();
    }
    const name = path[0]?.name ?? "";
    const owner = Array.isArray(at) ? at.at(-1) : at;
    if (!(owner instanceof PyDict)) return null;
    const next = owner.get(name);
    if (next === undefined) return null;
    owner.set(name, this.listed(next, path.slice(1), data));
    return at;
  }

  private formItem(
    pattern: Pattern,
    result: Value,
    cache: Map<string, Value>,
    vars: PyDict,
  ): PathItem | false {
    const { stars, variables, isWhole } = pattern;
    if (variables.length === 0) return pattern.formed;
    let { name } = pattern;
    for (const variable of variables) {
      const value = valueFor(variable, result, cache, vars);
      if (value === undefined) return false;
      const valueText = str(value, this.meter);
      name = isWhole ? putIn(name, valueText) : insert(name, variable, valueText);
    }
    return { name, stars };
  }
}

/** Takes a value out of the record and caches it for the paths of its children. */
function valueFor(name: string, result: Value, cache: Map<string, Value>, vars: PyDict): Value | undefined {
  const value = result instanceof PyDict ? result.get(name) : undefined;
  if (value === undefined || !(result instanceof PyDict)) return cache.get(name) ?? vars.get(name);
  cache.set(name, value);
  result.delete(name);
  return value;
}

/** Replaces all occurrences of the name in braces. */
function insert(text: string, name: string, value: string): string {
  return text.replace(SHORT, (reference, variable: string) =>
    variable === name ? putIn(reference, value) : reference,
  );
}

/**
 * The value is a replacement template of Python's `re.sub`: `\\n` becomes a line feed; with an invalid escape
 * it is used literally.
 */
function putIn(braces: string, value: string): string {
  if (!value.includes("\\")) return value;
  try {
    return keptPattern(escapePython(braces)).sub(value, braces);
  } catch (error) {
    if (error instanceof PatternError) return value;
    throw error;
  }
}

/** Copies a path whose null item may be removed. */
export function copied(path: PathItem[]): PathItem[] {
  return path[0]?.name === "_" ? [...path] : path;
}

export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
