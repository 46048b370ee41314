/** Suggestions for unknown tags, filters, tests and tokens, appended to error messages. */
import { didYouMeanThen } from "../../python/index.ts";
import { byName } from "./names.ts";

/** Equivalents of tags from other languages, used if no known name is similar. */
const TAGS = byName({
  elif: "elseif elsif elif_",
  for: "foreach each",
  "if not": "unless",
  set: "assign let var capture",
  macro: "function def",
  extends: "extend",
  include: "render",
});

const FILTERS = byName({
  upper: "uppercase upcase toupper",
  lower: "lowercase downcase tolower",
  length: "len size",
  trim: "strip",
  tojson: "json",
  string: "str",
  "list, or .keys()": "keys",
  ".values()": "values",
  "select, selectattr": "filter",
  selectattr: "where",
  "map(attribute=...)": "pluck",
  "a slice such as x[1:3]": "substr",
  format: "sprintf",
});

const TESTS = byName({
  none: "null NULL nil None",
  "{% if not x %}, or x | length == 0": "empty",
  "{% if not x %}": "blank",
  sequence: "list array tuple",
  mapping: "dict object",
  string: "str",
  integer: "int",
  boolean: "bool",
  defined: "set exists present",
  "eq, or ==": "equals",
  "string, number, mapping": "instanceof",
});

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["&", "'and' joins conditions"],
  ["!", "'not' negates, '!=' compares"],
  ["?", "a choice is written {{ a if b else c }}"],
  ["$", "variables have no '$'"],
  ["@", "variables have no '@'"],
  ["'", "a text is not closed"],
  ['"', "a text is not closed"],
  ["\\", "'\\' stands in texts only"],
]);

function hintFrom(table: ReadonlyMap<string, string>, name: string): string {
  const ours = table.get(name);
  return ours === undefined ? "" : ` Did you mean ${ours}?`;
}

/** @param awaited tags that are valid there, innermost last. */
export function tagHint(name: string, names: Iterable<string>, awaited: readonly string[]): string {
  if (/^end/.test(name) && awaited.length === 0) return " No block is open here.";
  return hintFrom(TAGS, name) || didYouMeanThen(name, [...awaited, ...names]);
}

export function filterHint(name: string, names: Iterable<string>): string {
  return hintFrom(FILTERS, name) || didYouMeanThen(name, shortNames(names));
}

export function testHint(name: string, names: Iterable<string>): string {
  return hintFrom(TESTS, name) || didYouMeanThen(name, shortNames(names));
}

export function signHint(sign: string): string {
  const hint = SIGNS.get(sign);
  return hint === undefined ? "" : ` (${hint})`;
}

export function closingHint(sign: string): string {
  return sign === "}" ? " (a tag that begins with two signs ends with two)" : "";
}

/** A hint for an unexpected token. */
export function tokenHint(expected: string, actual: string): string {
  if (actual === "=") return " ('==' compares, '=' is for set and for arguments)";
  if (actual === "|" && expected === "name")
    return " ('or' joins conditions; behind '|' stands the name of a filter)";
  if (actual === ":" && expected === "end of print statement")
    return " (arguments of a filter stand in parentheses)";
  if (actual === "if" && expected === "end of statement block") return " ('else if' is written elif)";
  if (actual === "then" || actual === "do") return ` (there is no '${actual}' in Jinja)`;
  return "";
}

/** Leaves out fully qualified names: their short forms are listed too. */
function shortNames(names: Iterable<string>): string[] {
  return [...names].filter((name) => !name.includes("."));
}

/**
 * The error for an unexpected tag or end of template.
 * @param ends the end tags of each open block, innermost last
 */
export function misplacedTag(
  name: string | undefined,
  ends: readonly (readonly string[])[],
  knownTags: Iterable<string>,
): string {
  const open = ends.flat();
  let message = name === undefined ? "Unexpected end of template." : `Encountered unknown tag '${name}'.`;
  if (name !== undefined && !open.includes(name)) message += tagHint(name, knownTags, open);
  const innermost = ends.at(-1);
  if (innermost === undefined) return message;
  const looking = innermost.map((end) => `'${end}'`).join(" or ");
  return name !== undefined && open.includes(name)
    ? `${message} You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
    : `${message} Jinja was looking for the following tags: ${looking}.`;
}
