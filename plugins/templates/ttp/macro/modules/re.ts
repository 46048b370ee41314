/** Python's `re` for macros. */
import { callValue } from "../../../python/call.ts";
import { PyDict } from "../../../python/dict.ts";
import { typeError } from "../../../python/errors.ts";
import { PyIterator } from "../../../python/iterate.ts";
import type { Meter } from "../../../python/limits.ts";
import {
  ASCII,
  compilePython,
  DOTALL,
  escapePython,
  IGNORECASE,
  MULTILINE,
  type PythonMatch,
  type PythonPattern,
  UNICODE,
  VERBOSE,
} from "../../../python/regex/index.ts";
import { textRepr } from "../../../python/repr.ts";
import {
  isInt,
  type Kwargs,
  PyFunction,
  PyObject,
  PyTuple,
  typeName,
  type Value,
} from "../../../python/values.ts";
import { ExceptionType } from "../exceptions.ts";
import { argument, type Body, makeModule, type PyModule } from "./module.ts";

const KEPT_PATTERNS = 256;

class PyPattern extends PyObject {
  override readonly typeName = "re.Pattern";
  constructor(readonly compiled: PythonPattern) {
    super();
  }
  override repr(): string {
    return `re.compile(${textRepr(this.compiled.pattern)})`;
  }
  override getattr(name: string): Value | undefined {
    if (name === "pattern") return this.compiled.pattern;
    if (name === "flags") return this.compiled.flags;
    if (name === "groups") return this.compiled.groups;
    if (name === "groupindex") return PyDict.from(this.compiled.groupIndex);
    const body = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    return body === undefined
      ? undefined
      : new PyFunction(name, (args, kwargs, meter) => body(this.compiled, args, kwargs, meter));
  }
}

class PyMatch extends PyObject {
  override readonly typeName = "re.Match";
  constructor(readonly match: PythonMatch) {
    super();
  }
  override getitem(key: Value): Value {
    return this.match.group(groupKey(key));
  }
  override getattr(name: string): Value | undefined {
    const { match } = this;
    const absent = (args: readonly Value[], kwargs: Kwargs | undefined): Value =>
      argument(args, kwargs, 0, "default") ?? null;
    switch (name) {
      case "string":
        return match.string;
      case "group":
        return new PyFunction(name, (args) => {
          if (args.length < 2) return match.group(groupKey(args[0] ?? 0));
          return new PyTuple(args.map((one) => match.group(groupKey(one))));
        });
      case "groups":
        return new PyFunction(
          name,
          (args, kwargs) => new PyTuple(match.groups().map((one) => one ?? absent(args, kwargs))),
        );
      case "groupdict":
        return new PyFunction(name, (args, kwargs) =>
          PyDict.from([...match.groupdict()].map(([key, one]) => [key, one ?? absent(args, kwargs)])),
        );
      case "start":
        return new PyFunction(name, ([group = 0]) => match.start(groupKey(group)));
      case "end":
        return new PyFunction(name, ([group = 0]) => match.end(groupKey(group)));
      case "span":
        return new PyFunction(name, ([group = 0]) => new PyTuple([...match.span(groupKey(group))]));
      case "expand":
        return new PyFunction(name, ([template = ""]) => match.expand(text(template)));
      case "re":
        return match.re.pattern;
      case "lastindex":
        return lastGroup(match) ?? null;
      case "lastgroup": {
        const last = lastGroup(match);
        return [...match.re.groupIndex].find(([, group]) => group === last)?.[0] ?? null;
      }
    }
    return undefined;
  }
}

/** The group that closed last. */
function lastGroup(match: PythonMatch): number | undefined {
  let last: { group: number; start: number; end: number } | undefined;
  for (let group = 1; group <= match.re.groups; group++) {
    const [start, end] = match.span(group);
    // Of groups that end together the one around the others closes last.
    if (start >= 0 && (last === undefined || end > last.end || (end === last.end && start >= last.end)))
      last = { group, start, end };
  }
  return last?.group;
}

function groupKey(key: Value): number | string {
  if (typeof key === "string" || typeof key === "number") return key;
  throw typeError("no such group");
}

function text(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw typeError(`expected string, got '${typeName(value ?? null)}'`);
}

const wrapped = (match: PythonMatch | null): Value => (match === null ? null : new PyMatch(match));

type Method = (re: PythonPattern, args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value;

const position = (
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  at: number,
  name: string,
): number | undefined => {
  const value = argument(args, kwargs, at, name);
  return typeof value === "number" ? value : undefined;
};

const finder =
  (how: "match" | "search" | "fullmatch"): Method =>
  (re, args, kwargs) =>
    wrapped(
      re[how](
        text(argument(args, kwargs, 0, "string")),
        position(args, kwargs, 1, "pos"),
        position(args, kwargs, 2, "endpos"),
      ),
    );

function* matches(re: PythonPattern, subject: string, meter: Meter): Generator<Value> {
  for (const match of re.finditer(subject)) {
    meter.step();
    yield new PyMatch(match);
  }
}

function substitute(re: PythonPattern, args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) {
  const replacement = argument(args, kwargs, 0, "repl") ?? null;
  const subject = text(argument(args, kwargs, 1, "string"));
  const count = argument(args, kwargs, 2, "count") ?? 0;
  const by =
    typeof replacement === "string"
      ? replacement
      : (match: PythonMatch) => text(callValue(replacement, [new PyMatch(match)], undefined, meter));
  const [made, done] = re.subn(by, subject, isInt(count) ? Number(count) : 0);
  meter.text(made.length);
  return { made, done };
}

const METHODS: Readonly<Record<string, Method>> = {
  match: finder("match"),
  search: finder("search"),
  fullmatch: finder("fullmatch"),
  findall: (re, args, kwargs) =>
    re
      .findall(text(argument(args, kwargs, 0, "string")))
      .map((one): Value => (typeof one === "string" ? one : new PyTuple(one))),
  finditer: (re, args, kwargs, meter) =>
    new PyIterator(matches(re, text(argument(args, kwargs, 0, "string")), meter), "callable_iterator"),
  sub: (re, args, kwargs, meter) => substitute(re, args, kwargs, meter).made,
  subn: (re, args, kwargs, meter) => {
    const { made, done } = substitute(re, args, kwargs, meter);
    return new PyTuple([made, done]);
  },
  split: (re, args, kwargs) => {
    const most = argument(args, kwargs, 1, "maxsplit") ?? 0;
    return re.split(text(argument(args, kwargs, 0, "string")), isInt(most) ? Number(most) : 0);
  },
};

/** Where flags stand among the arguments of the module's functions. */
const FLAGS_AT: Readonly<Record<string, number>> = { sub: 4, subn: 4, split: 3 };

export function createRe(): PyModule {
  const kept = new Map<string, PythonPattern>();
  const compiled = (pattern: Value | undefined, flags: Value): PythonPattern => {
    if (pattern instanceof PyPattern) return pattern.compiled;
    const number = isInt(flags) ? Number(flags) : 0;
    const key = `${number} ${text(pattern)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = compilePython(text(pattern), { flags: number });
    if (kept.size >= KEPT_PATTERNS) kept.clear();
    kept.set(key, made);
    return made;
  };
  const functions: Record<string, Body> = {
    compile: (args, kwargs) =>
      new PyPattern(compiled(argument(args, kwargs, 0, "pattern"), argument(args, kwargs, 1, "flags") ?? 0)),
    escape: ([value = ""]) => escapePython(text(value)),
    purge: () => null,
  };
  for (const [name, method] of Object.entries(METHODS))
    functions[name] = (args, kwargs, meter) => {
      const at = FLAGS_AT[name] ?? 2;
      const flags = argument(args, kwargs, at, "flags") ?? 0;
      return method(compiled(argument(args, kwargs, 0, "pattern"), flags), args.slice(1, at), kwargs, meter);
    };
  const flags: Record<string, Value> = {};
  for (const [short, long, value] of [
    ["I", "IGNORECASE", IGNORECASE],
    ["M", "MULTILINE", MULTILINE],
    ["S", "DOTALL", DOTALL],
    ["X", "VERBOSE", VERBOSE],
    ["A", "ASCII", ASCII],
    ["U", "UNICODE", UNICODE],
  ] as const) {
    flags[short] = value;
    flags[long] = value;
  }
  return makeModule("re", functions, { ...flags, error: new ExceptionType("error") });
}
