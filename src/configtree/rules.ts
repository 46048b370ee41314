/** What a system means by the lines of its configuration, as data. */
import type { TextBlock } from "../base/text/text-blocks.ts";

/** A compiled expression; RegExp is one. */
export interface Pattern {
  readonly source: string;
  exec(text: string): { readonly 0: string } | null;
  test(text: string): boolean;
}

/**
 * What a line means. In the templates `{1}` or `{name}` stands for a group of `line`. The first rule that matches a line
 * holds for it.
 */
export interface LineRule<P = RegExp> {
  /** The line without its indentation. */
  readonly line: P;
  /** The first line of the section that it stands in. Absent: any, and none. */
  readonly within?: P | undefined;
  /** Template. Lines of one section with equal names are one setting, which has one value. */
  readonly single?: string | undefined;
  /** The system refuses, or adds, a second value of `single`: the old one has to be removed first. */
  readonly refusesSecond?: boolean | undefined;
  /** Said again with less, it keeps what was said with more: that has to be removed first. */
  readonly keepsMore?: boolean | undefined;
  /** The section that it stands in, also if it is given in the one around that. */
  readonly belongsTo?: string | undefined;
  /** Removed with another value, it is removed all the same. */
  readonly removesAny?: boolean | undefined;
  /** The system writes its networks and numbers anew: `10.1.2.3/8` as `10.0.0.0/8`, and `010` as `10`. */
  readonly rewrites?: boolean | undefined;
  /** The system refuses to remove it where it is not there. */
  readonly refusesAbsent?: boolean | undefined;
  /** Template. The system takes no line while another one of the section has this name too: that one has to go first. */
  readonly distinct?: string | undefined;
  /** Template of the whole line that removes it; null: nothing removes it. Default: the word of negation before it. */
  readonly remove?: string | null | undefined;
  /**
   * Templates. Removing the line also removes the lines that begin so, beside it and in the sections below those.
   */
  readonly takes?: readonly string[] | undefined;
  /** The system refuses lines that it takes while no such line is there. */
  readonly isNeeded?: boolean | undefined;
  /** Setting it to another value takes those lines too, as the VRF of an interface does with its addresses. */
  readonly takesWhenSet?: boolean | undefined;
  /** Other lines name it, and the system refuses one that names nothing: it is added before all, and removed behind all. */
  readonly isNamed?: boolean | undefined;
  /** Its place among those of the same name counts, and a line moves it there. New ones stand behind the others. */
  readonly place?: PlaceRule | undefined;
  /** Templates of lines without which, in its section or one around it, the system refuses it. */
  readonly needs?: readonly string[] | undefined;
  /** It is what the system does without it. */
  readonly isDefault?: boolean | undefined;
  /** It has a list of values, which may stand on several lines. */
  readonly values?: ListRule | undefined;
  /** It is an entry of a list whose order counts, and which has no numbers to insert by. */
  readonly sequence?: SequenceRule | undefined;
}

export interface ListRule {
  /** Template of what all lines of one list have in common: `switchport trunk allowed vlan`. */
  readonly of: string;
  /** Name or number of the group with the values. */
  readonly group: string;
  /** `range`: numbers and ranges such as `10,20-30`; `to`: such as `10 20 to 30`; else what separates the values. */
  readonly form: "range" | "to" | "," | " ";
  /** A line with one value also opens the section of that value, as `vlan 10` does. */
  readonly opensSection?: boolean | undefined;
  /** A line that has the form of the whole list adds to it too. */
  readonly isCumulative?: boolean | undefined;
  /** Templates of the lines that add and remove values (`{values}`), and that remove the last of them. */
  readonly add: string;
  readonly remove: string;
  readonly none: string;
}

export interface SequenceRule {
  /** Template of the name of the list. */
  readonly of: string;
  /** Template of the line that removes the whole list. Absent: that is the line which removes the section around it. */
  readonly whole?: string | undefined;
  /** Whether single entries can be removed. */
  readonly single: boolean;
}

/** Templates; `{other}` is the name of the one beside it. */
export interface PlaceRule {
  readonly of: string;
  readonly name: string;
  readonly after: string;
  readonly before: string;
}

/** Configurations of paths: each line sets one, and removing a path removes all below it. */
export interface PathRules<P = Pattern> {
  /** Paths behind which a name follows, or a value that others stand beside: they are not removed without it. */
  readonly names?: readonly P[] | undefined;
  /** Paths below which one value stands: another takes its place. */
  readonly singles?: readonly P[] | undefined;
  /** Paths below which the order of names counts; `insert` moves one. */
  readonly ordered?: readonly P[] | undefined;
  /** Paths that stay when nothing is left below them. A name that stands behind one of `names` stays in any case. */
  readonly presence?: readonly P[] | undefined;
  /** Paths below which the order of values counts, and which are written anew for another one. */
  readonly chains?: readonly P[] | undefined;
}

/**
 * Configurations of menus, as RouterOS has them. An entry is known by the properties of its `keys`, by default its name, and
 * one that has none of them by all that it says.
 */
export interface MenuRules<P = Pattern> {
  readonly keys?: readonly { readonly menu: P; readonly keys: readonly string[] }[] | undefined;
  /** Menus whose order counts: what matches first holds. */
  readonly ordered?: readonly P[] | undefined;
  /** Menus whose entries nobody adds: ports, services. */
  readonly fixed?: readonly P[] | undefined;
  /** What properties are when nothing is said of them. Of all: `disabled=no`, and no `comment`. */
  readonly defaults?:
    | readonly { readonly menu: P; readonly values: Readonly<Record<string, string>> }[]
    | undefined;
  /** Menus whose entries others name, in the properties of `references`: those follow another name by themselves. */
  readonly named?: readonly P[] | undefined;
  readonly references?: readonly string[] | undefined;
}

/** `P`: of expressions that are only tested; `L`: of those whose groups count. */
export interface TreeRules<P = Pattern, L = RegExp> {
  /** How lines belong together. Default `indent`. */
  readonly shape?: "indent" | "braces" | "set" | "blocks" | "menus" | "none" | undefined;
  /** Sign that begins a comment line. Default: `!` and `#`. */
  readonly comment?: string | undefined;
  /** In shape `indent`: a line of which nothing else stands at its beginning, and behind which no section is open. */
  readonly divider?: string | undefined;
  /** Lines that open a text, such as a banner. */
  readonly blocks?: readonly TextBlock[] | undefined;
  /** Sections that are one text: entered again, what is in them takes the place of all that was. */
  readonly texts?: readonly TextBlock[] | undefined;
  /** Of a system whose lines are paths, in shape `set` or `braces`: they are set and deleted. */
  readonly paths?: PathRules<P> | undefined;
  /** In shape `menus`: what the commands of each menu mean. */
  readonly menus?: MenuRules<P> | undefined;
  /** Lines that are not part of the configuration, such as the time of the show. */
  readonly ignore?: readonly P[] | undefined;
  /** Lines whose order among their neighbours means nothing, and those whose order does although `unordered` matches. */
  readonly unordered?: readonly P[] | undefined;
  readonly ordered?: readonly P[] | undefined;
  /** The word that removes a line. Absent: nothing is removed by lines. */
  readonly negate?: string | undefined;
  /** Beginnings of lines behind which nothing may follow if they are removed. */
  readonly negated?: readonly P[] | undefined;
  /** Lines that nothing removes. If they open a section, the lines in it are removed one by one. */
  readonly permanent?: readonly P[] | undefined;
  /** First lines of sections, for text whose lines are not indented. */
  readonly sections?: readonly P[] | undefined;
  /** First lines of sections that mean nothing when nothing stands in them: the system may show them or not. */
  readonly vanishing?: readonly P[] | undefined;
  /** The word that leaves a section which names none of its own. Default `exit`. */
  readonly leave?: string | undefined;
  readonly lines?: readonly LineRule<L>[] | undefined;
}

/** A rule and what of the line it matched. */
export interface Matched {
  readonly rule: LineRule;
  readonly groups: RegExpExecArray;
}

/** No rule holds for a longer line, and it opens nothing. */
export const longestLine = 4_096;

/** Finds the rule of a line, by its first word: there are many lines and many rules. */
export function ruleFinder(
  rules: readonly LineRule[] = [],
): (line: string, section: string) => Matched | undefined {
  const byWord = new Map<string, { readonly rule: LineRule; readonly at: number }[]>();
  const anyWord: { readonly rule: LineRule; readonly at: number }[] = [];
  for (const [at, rule] of rules.entries()) {
    const words = rule.line.flags === "" ? firstWords(rule.line.source.replace(/^\^/, "")) : undefined;
    if (words === undefined || !rule.line.source.startsWith("^")) anyWord.push({ rule, at });
    else for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), { rule, at }]);
  }
  const merged = new Map<string, readonly LineRule[]>();
  function rulesOf(word: string): readonly LineRule[] {
    const own = byWord.get(word);
    if (own === undefined) return others;
    const known = merged.get(word);
    if (known !== undefined) return known;
    const all = [...own, ...anyWord].sort((a, b) => a.at - b.at).map(({ rule }) => rule);
    merged.set(word, all);
    return all;
  }
  const others = anyWord.map(({ rule }) => rule);
  return (line, section) => {
    if (line.length > longestLine) return undefined;
    const blank = line.indexOf(" ");
    for (const rule of rulesOf(blank < 0 ? line : line.slice(0, blank))) {
      if (rule.within?.test(section) === false) continue;
      const groups = rule.line.exec(line);
      if (groups !== null) return { rule, groups };
    }
    return undefined;
  };
}

/** The words that a line which matches can begin with; undefined: any. */
function firstWords(source: string): readonly string[] | undefined {
  if (!source.startsWith("(")) {
    const word = /^[\w-]+(?= |\$|$)/.exec(source)?.[0];
    return word === undefined ? undefined : [word];
  }
  const end = groupEnd(source);
  const rest = source.slice(end + 1);
  if (end < 0 || /^[?*{]/.test(rest) || source.startsWith("(?!") || source.startsWith("(?="))
    return undefined;
  const inside = source.slice(1, end).replace(/^\?(?::|<\w+>)/, "");
  const all = alternatives(inside).map((one) => firstWords(one + rest));
  return all.every((words) => words !== undefined) ? all.flat() : undefined;
}

function groupEnd(source: string): number {
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") at = source.indexOf("]", at + 2);
    else if (source[at] === "(") depth++;
    else if (source[at] === ")" && --depth === 0) return at;
    if (at < 0) return -1;
  }
  return -1;
}

function alternatives(source: string): string[] {
  const all = [""];
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "|" && depth === 0) all.push("");
    else all.push(`${all.pop() ?? ""}${char}${char === "\\" ? (source[++at] ?? "") : ""}`);
  }
  return all;
}

/** A template with the groups of the line, and values of its own. */
export function filled(
  template: string,
  groups: RegExpExecArray,
  own: Readonly<Record<string, string>> = {},
): string {
  return template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) =>
      own[name] ?? (/^\d+$/.test(name) ? groups[Number(name)] : groups.groups?.[name]) ?? "",
  );
}

export function anyOf(patterns: readonly Pattern[] | undefined): (line: string) => boolean {
  if (patterns === undefined || patterns.length === 0) return () => false;
  return (line) => line.length <= longestLine && patterns.some((pattern) => pattern.test(line));
}
