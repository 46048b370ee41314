/** Python's `re` for macros. */

import {
  ASCII,
  bound,
  type Callable,
  callValue,
  DOTALL,
  escapePython,
  IGNORECASE,
  indexError,
  isInt,
  type Kwargs,
  keptPattern,
  type Meter,
  MULTILINE,
  methods,
  PyDict,
  PyIterator,
  PyObject,
  PyTuple,
  type PythonMatch,
  type PythonPattern,
  repr,
  textRepr,
  typeError,
  typeName,
  UNICODE,
  type Value,
  VERBOSE,
} from "../../../python/index.ts";
import { ExceptionType } from "../exceptions.ts";
import { argument, makeModule } from "./module.ts";

type Given = Value | undefined;

function text(value: Given): string {
  if (typeof value === "string") return value;
  throw typeError(`expected string, got '${typeName(value ?? null)}'`);
}

function groupKey({ re }: PythonMatch, key: Given = 0): number | string {
  const group = typeof key === "boolean" ? Number(key) : key;
  if (typeof group === "string" && re.groupIndex.has(group)) return group;
  if (typeof group === "number" && group >= 0 && group <= re.groups) return group;
  throw indexError("no such group");
}

const count = (value: Given): number => (value !== undefined && isInt(value) ? Number(value) : 0);
/** `pos` or `endpos`, within the text. */
const position = (value: Given, { length }: string): number | undefined =>
  typeof value === "number" ? Math.max(0, Math.min(value, length)) : undefined;

const finder =
  (how: "match" | "search" | "fullmatch") =>
  (pattern: PythonPattern, [subject, from, to]: readonly Given[]): Value => {
    const string = text(subject);
    const [start, end] = [position(from, string), position(to, string)];
    const match = pattern[how](string, start, end);
    return match === null ? null : new PyMatch(match, pattern, start, end);
  };

function* matches(re: PythonPattern, subject: string, meter: Meter): Generator<Value> {
  for (const match of re.finditer(subject)) {
    meter.step();
    yield new PyMatch(match, re);
  }
}

function substitute(re: PythonPattern, [by = null, subject, most]: readonly Given[], meter: Meter) {
  const replacement =
    typeof by === "string"
      ? by
      : (match: PythonMatch) => text(callValue(by, [new PyMatch(match, re)], undefined, meter));
  const [made, done] = re.subn(replacement, text(subject), count(most));
  meter.text(made.length);
  return { made, done };
}

const PATTERN_METHODS = methods<PythonPattern>({
  "match(string, pos?, endpos?)": finder("match"),
  "search(string, pos?, endpos?)": finder("search"),
  "fullmatch(string, pos?, endpos?)": finder("fullmatch"),
  "findall(string)": (re, [subject]) =>
    re.findall(text(subject)).map((match): Value => (typeof match === "string" ? match : new PyTuple(match))),
  "finditer(string)": (re, [subject], meter) =>
    new PyIterator(matches(re, text(subject), meter), "callable_iterator"),
  "sub(repl, string, count?)": (re, args, meter) => substitute(re, args, meter).made,
  "subn(repl, string, count?)": (re, args, meter) => {
    const { made, done } = substitute(re, args, meter);
    return new PyTuple([made, done]);
  },
  "split(string, maxsplit?)": (re, [subject, most]) => re.split(text(subject), count(most)),
});

class PyPattern extends PyObject {
  override readonly typeName = "re.Pattern";
  constructor(readonly compiled: PythonPattern) {
    super();
  }
  override repr(): string {
    return `re.compile(${textRepr(this.compiled.pattern)})`;
  }
  override getattr(name: string): Value | undefined {
    const { compiled } = this;
    if (name === "pattern" || name === "flags" || name === "groups") return compiled[name];
    if (name === "groupindex") return PyDict.from(compiled.groupIndex);
    return bound(PATTERN_METHODS, compiled, name);
  }
}

const MATCH_METHODS = methods<PythonMatch>({
  "group(*groups)": (match, keys) =>
    keys.length < 2
      ? match.group(groupKey(match, keys[0]))
      : new PyTuple(keys.map((key) => match.group(groupKey(match, key)))),
  "groups(default?)": (match, [absent = null]) => new PyTuple(match.groups().map((group) => group ?? absent)),
  "groupdict(default?)": (match, [absent = null]) =>
    PyDict.from([...match.groupdict()].map(([key, one]) => [key, one ?? absent])),
  "start(group?, /)": (match, [group]) => match.start(groupKey(match, group)),
  "end(group?, /)": (match, [group]) => match.end(groupKey(match, group)),
  "span(group?, /)": (match, [group]) => new PyTuple([...match.span(groupKey(match, group))]),
  "expand(template)": (match, [template]) => match.expand(text(template)),
});

class PyMatch extends PyObject {
  override readonly typeName = "re.Match";
  constructor(
    private readonly match: PythonMatch,
    private readonly pattern: PythonPattern,
    private readonly from = 0,
    private readonly to = match.string.length,
  ) {
    super();
  }
  override repr(meter: Meter): string {
    const [start, end] = this.match.span();
    return `<re.Match object; span=(${start}, ${end}), match=${repr(this.match.group(), meter)}>`;
  }
  override getitem(key: Value): Value {
    return this.match.group(groupKey(this.match, key));
  }
  override getattr(name: string): Value | undefined {
    const { match } = this;
    if (name === "string") return match.string;
    if (name === "re") return new PyPattern(this.pattern);
    if (name === "pos") return this.from;
    if (name === "endpos") return this.to;
    const last = name === "lastindex" || name === "lastgroup" ? lastGroup(match) : undefined;
    if (name === "lastindex") return last ?? null;
    if (name === "lastgroup")
      return [...match.re.groupIndex].find(([, group]) => group === last)?.[0] ?? null;
    return bound(MATCH_METHODS, match, name);
  }
}

/** The last group that closed (`lastindex`). */
function lastGroup(match: PythonMatch): number | undefined {
  let last: { group: number; start: number; end: number } | undefined;
  for (let group = 1; group <= match.re.groups; group++) {
    const [start, end] = match.span(group);
    // If groups end at the same offset, the outer one closes last.
    if (start >= 0 && (last === undefined || end > last.end || (end === last.end && start >= last.end)))
      last = { group, start, end };
  }
  return last?.group;
}

/** Position of the `flags` argument in functions of the module. */
const FLAGS_AT: Readonly<Record<string, number>> = { sub: 4, subn: 4, split: 3 };
const FLAGS = { IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII, UNICODE };
const SHORT = { I: IGNORECASE, M: MULTILINE, S: DOTALL, X: VERBOSE, A: ASCII, U: UNICODE };

function compiled(args: readonly Value[], kwargs: Kwargs | undefined, flagsAt: number): PythonPattern {
  const pattern = argument(args, kwargs, 0, "pattern");
  if (pattern instanceof PyPattern) return pattern.compiled;
  return keptPattern(text(pattern), count(argument(args, kwargs, flagsAt, "flags")));
}

const functions: Record<string, Callable> = {
  compile: (args, kwargs) => new PyPattern(compiled(args, kwargs, 1)),
  escape: ([value = ""]) => escapePython(text(value)),
  purge: () => null,
};
for (const [name, method] of PATTERN_METHODS)
  functions[name] = (args, kwargs, meter) => {
    const at = FLAGS_AT[name] ?? 2;
    const named = [...(kwargs ?? [])].filter(([key]) => key !== "pattern" && key !== "flags");
    return method(compiled(args, kwargs, at), args.slice(1, at), new Map(named), meter);
  };

export const re = makeModule("re", functions, { ...FLAGS, ...SHORT, error: new ExceptionType("error") });
