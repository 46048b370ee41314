/** Filters and tests with Python regular expressions. */

import {
  escapePython,
  IGNORECASE,
  keptPattern,
  MULTILINE,
  PyTuple,
  type PythonPattern,
  parseReplacement,
  signature,
  truth,
  type Value,
  valueError,
} from "../../python/index.ts";
import {
  define,
  type FilterEntries,
  filterError,
  plainText,
  type TestEntries,
  variadic,
} from "../filters/define.ts";
import type { Filter, FilterContext } from "../filters/kinds.ts";

const compiled = (pattern: string, ignoreCase: boolean, multiline: boolean): PythonPattern =>
  keptPattern(pattern, (ignoreCase ? IGNORECASE : 0) | (multiline ? MULTILINE : 0));

/** `sub` with size limits. */
function replace(
  text: string,
  regex: string,
  replacement: string,
  ignoreCase: boolean,
  multiline: boolean,
  count: number,
  mandatory: number,
  { meter }: FilterContext,
): string {
  const pattern = compiled(regex, ignoreCase, multiline);
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
  if (mandatory !== 0 && times !== mandatory)
    throw filterError(`'${pattern.pattern}' should match ${mandatory} times, but matches ${times} times`);
  return result;
}

/** `\1`, `\g<1>` and `\g<name>`. */
function groupOf(reference: string): string | number {
  const number = /^\\(?:g<)?(\d+)/.exec(reference);
  if (number !== null) return Number(number[1]);
  const name = /^\\g<(\S+)>/.exec(reference);
  if (name === null) throw filterError(`'${reference}' is not a reference to a group, such as \\\\1`);
  return name[1] ?? "";
}

const bindOptions = signature("regex_search", ["ignorecase?", "multiline?"]);
const bindPattern = signature("regex_search", ["regex"]);

/** Positional arguments after the pattern are group references, so options are keywords. */
const search: Filter = (value, args, kwargs, context) => {
  const options = new Map(kwargs);
  const regex = options.get("regex");
  options.delete("regex");
  const named = regex === undefined ? undefined : new Map([["regex", regex]]);
  const [pattern = null] = bindPattern(args.slice(0, 1), named);
  const [ignoreCase = false, multiline = false] = bindOptions([], options);
  const groups = args.slice(1).map((reference) => groupOf(plainText(reference, context)));
  const match = compiled(plainText(pattern, context), truth(ignoreCase), truth(multiline)).search(
    plainText(value, context),
  );
  if (match === null) return null;
  return groups.length === 0 ? match.group() : groups.map((group) => match.group(group));
};

function findAll(
  text: string,
  regex: string,
  multiline: boolean,
  ignoreCase: boolean,
  { meter }: FilterContext,
): Value {
  const matches: Value[] = [];
  for (const match of compiled(regex, ignoreCase, multiline).finditer(text)) {
    meter.step();
    if (matches.length >= meter.limits.listItems) meter.items(matches.length + 1);
    const groups = match.groups("").map((group) => group ?? "");
    const [only] = groups;
    matches.push(groups.length > 1 ? new PyTuple(groups) : only === undefined ? (match.group() ?? "") : only);
  }
  return matches;
}

function escaped(text: string, type: string): string {
  if (type === "python") return escapePython(text);
  if (type === "posix_basic") return text.replace(/[\].[^$*\\]/g, "\\$&");
  throw filterError(`the type is python or posix_basic, not '${type}'`);
}

const FLAGS = "ignorecase: flag = false, multiline: flag = false";
const MATCHING = `pattern: text = '', ${FLAGS}` as const;

export const regexFilters: FilterEntries = [
  define(
    "regex_replace",
    "text",
    `pattern: text = '', replacement: text = '', ${FLAGS}, count: int = 0, mandatory_count: int = 0`,
    replace,
  ),
  variadic("regex_search", search),
  define("regex_findall", "text", "regex: text, multiline: flag = false, ignorecase: flag = false", findAll),
  define("regex_escape", "text", "re_type: text = 'python'", escaped),
].flat();

export const regexTests: TestEntries = [
  define("match", "text", MATCHING, (text, regex, ignoreCase, multiline) => {
    return compiled(regex, ignoreCase, multiline).match(text) !== null;
  }),
  define("search", "text", MATCHING, (text, regex, ignoreCase, multiline) => {
    return compiled(regex, ignoreCase, multiline).search(text) !== null;
  }),
  define(
    "regex",
    "text",
    `${MATCHING}, match_type: text = 'search'`,
    (text, regex, ignoreCase, multiline, mode) => {
      if (mode !== "search" && mode !== "match" && mode !== "fullmatch")
        throw valueError("match_type is search, match or fullmatch");
      return compiled(regex, ignoreCase, multiline)[mode](text) !== null;
    },
  ),
].flat();
