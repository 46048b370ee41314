/** Filters and tests that match Python's regular expressions. */
import { signature } from "../../python/args.ts";
import { PyError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import {
  compilePython,
  escapePython,
  IGNORECASE,
  MULTILINE,
  type PythonPattern,
} from "../../python/regex/index.ts";
import { parseReplacement } from "../../python/regex/replacement.ts";
import { PyTuple, type Value } from "../../python/values.ts";
import type { FilterContext, Test } from "../filter.ts";
import { argumentError, type Entry, filter, flag, integer, plainText } from "../filters/define.ts";

/** Patterns may be built from values, so that there is no end of them. */
const KEPT_PATTERNS = 500;

/** What a pattern compiles to depends on its text and flags alone. */
function createPatterns(): (pattern: string, flags: number) => PythonPattern {
  const kept = new Map<string, PythonPattern>();
  return (pattern, flags) => {
    const key = `${flags}:${pattern}`;
    let compiled = kept.get(key);
    if (compiled === undefined) {
      compiled = compilePython(pattern, { flags });
      if (kept.size >= KEPT_PATTERNS) kept.clear();
      kept.set(key, compiled);
    }
    return compiled;
  };
}

const compiledPattern = createPatterns();

function patternOf(
  pattern: Value | undefined,
  ignoreCase: Value | undefined,
  multiline: Value | undefined,
  context: FilterContext,
): PythonPattern {
  const flags = (flag(ignoreCase) ? IGNORECASE : 0) | (flag(multiline) ? MULTILINE : 0);
  return compiledPattern(pattern === undefined ? "" : plainText(pattern, context), flags);
}

/** `sub` that counts what it builds. */
function replaced(
  pattern: PythonPattern,
  replacement: string,
  text: string,
  count: number,
  meter: Meter,
): { text: string; times: number } {
  const parts = parseReplacement(replacement, pattern.groups, pattern.groupIndex);
  let result = "";
  let from = 0;
  let times = 0;
  for (const match of pattern.finditer(text)) {
    meter.step();
    result += text.slice(from, match.start());
    for (const part of parts) result += typeof part === "string" ? part : (match.group(part) ?? "");
    if (result.length > meter.limits.stringChars) meter.text(result.length);
    from = match.end();
    times++;
    if (times === count) break;
  }
  result += text.slice(from);
  meter.text(result.length);
  return { text: result, times };
}

function regexReplace(value: Value, given: readonly (Value | undefined)[], context: FilterContext): Value {
  const [pattern, replacement = "", ignoreCase, multiline, count, mandatory] = given;
  const compiled = patternOf(pattern, ignoreCase, multiline, context);
  const { text, times } = replaced(
    compiled,
    plainText(replacement, context),
    plainText(value, context),
    integer(count, 0),
    context.meter,
  );
  const wanted = integer(mandatory, 0);
  if (wanted !== 0 && times !== wanted) {
    throw new PyError(
      "AnsibleFilterError",
      `'${compiled.pattern}' should match ${wanted} times, but matches ${times} times`,
    );
  }
  return text;
}

/** `\1`, `\g<1>` and `\g<name>`. */
function groupOf(reference: string): string | number {
  const number = /^\\(?:g<)?(\d+)/.exec(reference);
  if (number !== null) return Number(number[1]);
  const name = /^\\g<(\S+)>/.exec(reference);
  if (name === null)
    throw new PyError("AnsibleFilterError", `'${reference}' is no reference to a group, such as \\\\1`);
  return name[1] ?? "";
}

const bindSearch = signature("regex_search", ["ignorecase?", "multiline?"]);
const bindPattern = signature("regex_search", ["regex"]);

const regexSearch: Entry[1] = (value, args, kwargs, context) => {
  const options = new Map(kwargs);
  const regex = options.get("regex");
  options.delete("regex");
  const [pattern = null] = bindPattern(
    args.slice(0, 1),
    regex === undefined ? undefined : new Map([["regex", regex]]),
  );
  const [ignoreCase, multiline] = bindSearch([], options);
  const groups = args.slice(1).map((one) => groupOf(plainText(one, context)));
  const found = patternOf(pattern, ignoreCase, multiline, context).search(plainText(value, context));
  if (found === null) return null;
  return groups.length === 0 ? found.group() : groups.map((group) => found.group(group));
};

function findAll(value: Value, given: readonly (Value | undefined)[], context: FilterContext): Value {
  const [pattern, multiline, ignoreCase] = given;
  const compiled = patternOf(pattern, ignoreCase, multiline, context);
  const found: Value[] = [];
  for (const match of compiled.finditer(plainText(value, context))) {
    context.meter.step();
    if (found.length >= context.meter.limits.listItems) context.meter.items(found.length + 1);
    const groups = match.groups("").map((group) => group ?? "");
    const [only] = groups;
    found.push(groups.length > 1 ? new PyTuple(groups) : only === undefined ? (match.group() ?? "") : only);
  }
  return found;
}

function escapedText(value: Value, type: Value, context: FilterContext): string {
  const text = plainText(value, context);
  const name = plainText(type, context);
  if (name === "python") return escapePython(text);
  if (name === "posix_basic") return text.replace(/[\].[^$*\\]/g, "\\$&");
  throw new PyError("AnsibleFilterError", `the type is python or posix_basic, not '${name}'`);
}

export const regexFilters: readonly Entry[] = [
  filter(
    "regex_replace",
    ["pattern?", "replacement?", "ignorecase?", "multiline?", "count?", "mandatory_count?"],
    regexReplace,
  ),
  ["regex_search", regexSearch],
  filter("regex_findall", ["regex", "multiline?", "ignorecase?"], findAll),
  filter("regex_escape", ["re_type?"], (value, [type = "python"], context) =>
    escapedText(value, type, context),
  ),
];

type How = "search" | "match" | "fullmatch";

function matches(
  how: How,
  value: Value,
  given: readonly (Value | undefined)[],
  context: FilterContext,
): boolean {
  const [pattern, ignoreCase, multiline] = given;
  const compiled = patternOf(pattern, ignoreCase, multiline, context);
  return compiled[how](plainText(value, context)) !== null;
}

function matching(name: "search" | "match"): readonly [string, Test] {
  const bind = signature(name, ["pattern?", "ignorecase?", "multiline?"]);
  return [name, (value, args, kwargs, context) => matches(name, value, bind(args, kwargs), context)];
}

const bindRegex = signature("regex", ["pattern?", "ignorecase?", "multiline?", "match_type?"]);

export const regexTests: readonly (readonly [string, Test])[] = [
  matching("match"),
  matching("search"),
  [
    "regex",
    (value, args, kwargs, context) => {
      const [pattern, ignoreCase, multiline, how = "search"] = bindRegex(args, kwargs);
      if (how !== "search" && how !== "match" && how !== "fullmatch")
        throw argumentError("match_type is search, match or fullmatch");
      return matches(how, value, [pattern, ignoreCase, multiline], context);
    },
  ],
];
