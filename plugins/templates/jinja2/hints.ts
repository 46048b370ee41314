/** What may have been meant by a tag, filter, test or sign that Jinja does not know: the end of an error's message. */
import { didYouMeanThen } from "../near.ts";

/** Words of other languages, where no name of ours is near. */
const TAGS: Readonly<Record<string, string>> = {
  elseif: "elif",
  elsif: "elif",
  elif_: "elif",
  foreach: "for",
  each: "for",
  unless: "if not",
  assign: "set",
  let: "set",
  var: "set",
  capture: "set",
  function: "macro",
  def: "macro",
  extend: "extends",
  render: "include",
};

const FILTERS: Readonly<Record<string, string>> = {
  uppercase: "upper",
  upcase: "upper",
  toupper: "upper",
  lowercase: "lower",
  downcase: "lower",
  tolower: "lower",
  len: "length",
  size: "length",
  strip: "trim",
  json: "tojson",
  str: "string",
  keys: "list, or .keys()",
  values: ".values()",
  filter: "select, selectattr",
  where: "selectattr",
  pluck: "map(attribute=...)",
  substr: "a slice such as x[1:3]",
  sprintf: "format",
};

const TESTS: Readonly<Record<string, string>> = {
  null: "none",
  NULL: "none",
  nil: "none",
  None: "none",
  empty: "{% if not x %}, or x | length == 0",
  blank: "{% if not x %}",
  list: "sequence",
  array: "sequence",
  tuple: "sequence",
  dict: "mapping",
  object: "mapping",
  str: "string",
  int: "integer",
  bool: "boolean",
  set: "defined",
  exists: "defined",
  present: "defined",
  equals: "eq, or ==",
  instanceof: "string, number, mapping",
};

const SIGNS: Readonly<Record<string, string>> = {
  "&": "'and' joins conditions",
  "!": "'not' negates, '!=' compares",
  "?": "a choice is written {{ a if b else c }}",
  $: "variables have no '$'",
  "@": "variables have no '@'",
  "'": "a text is not closed",
  '"': "a text is not closed",
  "\\": "'\\' stands in texts only",
};

function known(table: Readonly<Record<string, string>>, name: string): string {
  const meant = Object.hasOwn(table, name) ? table[name] : undefined;
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** @param awaited tags that may stand there, the innermost last. */
export function tagHint(name: string, all: Iterable<string>, awaited: readonly string[]): string {
  if (/^end/.test(name) && awaited.length === 0) return " No block is open here.";
  return known(TAGS, name) || didYouMeanThen(name, [...awaited, ...all]);
}

export function filterHint(name: string, all: Iterable<string>): string {
  return known(FILTERS, name) || didYouMeanThen(name, shortNames(all));
}

export function testHint(name: string, all: Iterable<string>): string {
  return known(TESTS, name) || didYouMeanThen(name, shortNames(all));
}

export function signHint(sign: string): string {
  const hint = Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : undefined;
  return hint === undefined ? "" : ` (${hint})`;
}

export function closingHint(sign: string): string {
  return sign === "}" ? " (a tag that begins with two signs ends with two)" : "";
}

/** What stands where something else has to: one sign or name too much. */
export function tokenHint(wanted: string, got: string): string {
  if (got === "=") return " ('==' compares, '=' is for set and for arguments)";
  if (got === "|" && wanted === "name")
    return " ('or' joins conditions; behind '|' stands the name of a filter)";
  if (got === ":" && wanted === "end of print statement")
    return " (arguments of a filter stand in parentheses)";
  if (got === "if" && wanted === "end of statement block") return " ('else if' is written elif)";
  if (got === "then" || got === "do") return ` (there is no '${got}' in Jinja)`;
  return "";
}

/** Names of playbooks in full are left out: their last part is among the others. */
function shortNames(all: Iterable<string>): string[] {
  return [...all].filter((name) => !name.includes("."));
}
