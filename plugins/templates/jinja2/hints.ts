/** What may have been meant by a tag, filter, test or sign that Jinja does not know: the end of an error's message. */
import { didYouMeanThen } from "../near.ts";
import { byName } from "./names.ts";

/** What is meant by words of other languages, where no name of ours is near. */
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

function known(table: ReadonlyMap<string, string>, name: string): string {
  const ours = table.get(name);
  return ours === undefined ? "" : ` Did you mean ${ours}?`;
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
  const hint = SIGNS.get(sign);
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

/**
 * What is wrong with a tag, or with the end of the template, where another was looked for.
 * @param ends of each open block the tags that end it, the innermost last
 */
export function misplacedTag(
  name: string | undefined,
  ends: readonly (readonly string[])[],
  known: Iterable<string>,
): string {
  const open = ends.flat();
  let message = name === undefined ? "Unexpected end of template." : `Encountered unknown tag '${name}'.`;
  if (name !== undefined && !open.includes(name)) message += tagHint(name, known, open);
  const innermost = ends.at(-1);
  if (innermost === undefined) return message;
  const looking = innermost.map((end) => `'${end}'`).join(" or ");
  return name !== undefined && open.includes(name)
    ? `${message} You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
    : `${message} Jinja was looking for the following tags: ${looking}.`;
}
