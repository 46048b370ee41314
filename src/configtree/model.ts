/** A configuration as what it means: settings and sections, without the order and the lines that say nothing. */
import { shownLine } from "./lines.ts";
import {
  anyOf,
  filled,
  type LineRule,
  type ListRule,
  type Matched,
  ruleFinder,
  type SequenceRule,
  type TreeRules,
} from "./rules.ts";
import { type ConfigNode, parseTree } from "./tree.ts";
import { textOfValues, valuesOf } from "./values.ts";

export interface Section {
  /** The line that opens it; empty for the whole configuration. */
  readonly header: string;
  readonly entries: Map<string, Entry>;
  /** By the name of a setting that has one value: the key of the entry that has it. */
  readonly singles: Map<string, string>;
  /** By the name that only one of them may have. */
  readonly distincts: Map<string, string>;
  /** What its lines mean, of those that were read already: shared by sections in which they mean the same. */
  readonly known: Map<string, Entry | null>;
}

export interface Entry {
  /** What it is compared by: its words, or the list whose values it has. */
  readonly key: string;
  /** Without indentation; of a text the others as they are. */
  readonly lines: readonly string[];
  readonly rule: LineRule | undefined;
  readonly single: string | undefined;
  readonly distinct: string | undefined;
  /** Beginnings of lines that go with it. */
  readonly takes: readonly string[];
  /** Lines without which it is refused. */
  readonly needs: readonly string[];
  /** What removes it; null: nothing. */
  readonly removal: string | null;
  readonly list: ValueList | undefined;
  readonly sequence: SequenceRule | undefined;
  readonly place: Place | undefined;
  /** Its order among its neighbours counts. */
  readonly isOrdered: boolean;
  /** Undefined: it opens no section. */
  readonly section: Section | undefined;
  /** The line that leaves its section. */
  readonly leaving: string;
}

/** Where it stands among others. */
export interface Place {
  readonly of: string;
  readonly name: string;
  /** The line that moves it beside another one. */
  moved(where: "after" | "before", other: string): string;
}

export interface ValueList {
  /** Computed when they are asked for: most lists are compared by their line. */
  values(): ReadonlySet<string>;
  readonly rule: ListRule;
  /** Lines that add and remove values, as they are written in a line, and that remove the list. */
  added(values: string): string;
  removed(values: string): string;
  readonly none: string;
}

/** Of the text itself, not of the configuration. */
export const frame = /^(?:end|exit|quit|return|root|exit-[\w-]+)$/;

export function createModels(rules: TreeRules) {
  const { negate, shape = "indent" } = rules;
  const find = ruleFinder(rules.lines);
  const isIgnored = anyOf(rules.ignore);
  const isPermanent = anyOf(rules.permanent);
  const isOrdered = anyOf(rules.ordered);
  const opensSection = anyOf(rules.sections);
  const vanishes = anyOf(rules.vanishing);
  const kindOf = sectionKinds(rules.lines);
  const meanings = new Map<string, Section["known"]>();

  function emptySection(header: string): Section {
    const kind = kindOf(header);
    const known = meanings.get(kind) ?? new Map();
    meanings.set(kind, known);
    return { header, entries: new Map(), singles: new Map(), distincts: new Map(), known };
  }

  function modelOf(text: string): Section {
    const top = emptySection("");
    fill(top, parseTree(text, rules));
    return shown(top);
  }

  /** Without sections that vanish with what stood in them. */
  function shown(section: Section): Section {
    if (rules.vanishing === undefined) return section;
    for (const [
      key,
      {
        section: own,
        list,
        lines: [first = ""],
      },
    ] of section.entries) {
      if (list !== undefined) continue;
      if (own === undefined) {
        if (vanishes(first)) section.entries.delete(key);
      } else if (shown(own).entries.size === 0 && vanishes(first)) section.entries.delete(key);
    }
    return section;
  }

  /** What is indented behind a line of the text itself, such as that of the version, is not in it. */
  function flat(nodes: readonly ConfigNode[]): readonly ConfigNode[] {
    const isFrame = ({ isNote, lines: [line = ""], children }: ConfigNode) =>
      children.length > 0 && !isNote && isIgnored(shownLine(line));
    if (!nodes.some(isFrame)) return nodes;
    return nodes.flatMap((node) => {
      if (!isFrame(node)) return [node];
      const last = { ...node, lines: node.closing, isNote: true, children: [], closing: [] };
      return [{ ...node, children: [], closing: [] }, ...flat(node.children), last];
    });
  }

  function fill(section: Section, nodes: readonly ConfigNode[]): void {
    for (const node of flat(nodes)) {
      if (node.isNote) continue;
      const entry = node.lines.length > 1 ? read(section, node.lines) : readOnce(section, node.lines);
      if (entry === null) continue;
      const leaving =
        node.closing.length === 0 ? entry.leaving : leavingOf(entry.lines[0] ?? "", node.closing);
      const own = leaving === entry.leaving ? entry : { ...entry, leaving };
      if (entry.list?.rule.opensSection === true && saysMore(node.children)) {
        put(section, own, []);
        put(
          section,
          sectionOf(
            section,
            node.lines.map((line) => shownLine(line).trim()),
          ),
          node.children,
        );
      } else put(section, own, node.children);
    }
  }

  /** Most lines stand in many sections, and in both texts that are compared. */
  function readOnce(section: Section, lines: readonly string[]): Entry | null {
    const [line = ""] = lines;
    const known = section.known.get(line);
    if (known === undefined) {
      const entry = read(section, lines);
      // A section of its own is no other one's.
      if (entry?.section === undefined) section.known.set(line, entry);
      return entry;
    }
    return known;
  }

  /** @returns null for a line that says nothing */
  function read(section: Section, given: readonly string[]): Entry | null {
    const lines = given.map(shownLine);
    const line = (lines[0] ?? "").trim();
    if (frame.test(line) || isIgnored(lines[0] ?? "")) return null;
    return entryOf(section, [line, ...lines.slice(1)]) ?? null;
  }

  /** One that is there already is one for the system: values and sections join. */
  function put(section: Section, entry: Entry, children: readonly ConfigNode[]): void {
    const known = section.entries.get(entry.key);
    const joined = known === undefined ? entry : join(known, entry);
    section.entries.set(entry.key, joined);
    if (entry.single !== undefined) section.singles.set(entry.single, entry.key);
    if (entry.distinct !== undefined) section.distincts.set(entry.distinct, entry.key);
    if (!saysMore(children)) return;
    const own = joined.section ?? emptySection(joined.lines[0] ?? "");
    section.entries.set(entry.key, { ...joined, section: own });
    fill(own, children);
  }

  function join(known: Entry, entry: Entry): Entry {
    if (known.list === undefined || entry.list === undefined) return known;
    return withValues(known, [...known.list.values(), ...entry.list.values()]);
  }

  /** @returns undefined for what the system does without it */
  function entryOf(section: Section, lines: readonly string[]): Entry | undefined {
    const [line = ""] = lines;
    const matched = find(line, section.header);
    if (matched?.rule.isDefault === true) return undefined;
    const entry: Entry = {
      ...{ key: keyOf(lines), lines, rule: matched?.rule, list: undefined, sequence: sequenceOf(matched) },
      place: placeOf(matched),
      single: nameOf(matched, "single"),
      distinct: nameOf(matched, "distinct"),
      takes: filledAll(matched?.rule.takes, matched),
      needs: filledAll(matched?.rule.needs, matched),
      removal: removalOf(lines, matched),
      isOrdered: isOrdered(line),
      section: opensSection(line) ? emptySection(line) : undefined,
      leaving: leavingOf(line, []),
    };
    return matched?.rule.values === undefined ? entry : listed(entry, matched, matched.rule.values);
  }

  /** What a line opens that is also one of a list. */
  function sectionOf(section: Section, lines: readonly string[]): Entry {
    const [line = ""] = lines;
    const entry = entryOf(section, lines);
    const removal = isPermanent(line) ? null : `${negate ?? "no"} ${line}`;
    const leaving = leavingOf(line, []);
    return {
      ...{ key: keyOf(lines), lines, rule: undefined, single: undefined, distinct: undefined, takes: [] },
      needs: [],
      ...{ removal, list: undefined, sequence: undefined, place: undefined, isOrdered: false, leaving },
      section: entry?.section ?? emptySection(line),
    };
  }

  function listed(entry: Entry, { groups }: Matched, rule: ListRule): Entry {
    const of = filled(rule.of, groups);
    const text = (/^\d+$/.test(rule.group) ? groups[Number(rule.group)] : groups.groups?.[rule.group]) ?? "";
    const line = (template: string) => (values: string) => filled(template, groups, { values });
    const list = { rule, added: line(rule.add), removed: line(rule.remove), none: filled(rule.none, groups) };
    const values = once(() => new Set(valuesOf(text, rule)));
    return {
      ...entry,
      key: of,
      lines: [`${of} ${text}`],
      removal: list.none,
      section: undefined,
      list: { ...list, values },
    };
  }

  function sequenceOf(matched: Matched | undefined): Entry["sequence"] {
    const sequence = matched?.rule.sequence;
    if (matched === undefined || sequence === undefined) return undefined;
    const of = (template: string) => filled(template, matched.groups);
    const whole = sequence.whole === undefined ? undefined : of(sequence.whole);
    return { of: of(sequence.of), whole, single: sequence.single };
  }

  function placeOf(matched: Matched | undefined): Place | undefined {
    const place = matched?.rule.place;
    if (matched === undefined || place === undefined) return undefined;
    const of = (template: string) => filled(template, matched.groups);
    const moved: Place["moved"] = (where, other) => filled(place[where], matched.groups, { other });
    return { of: of(place.of), name: of(place.name), moved };
  }

  function removalOf(lines: readonly string[], matched: Matched | undefined): string | null {
    const [line = ""] = lines;
    if (matched?.rule.remove !== undefined)
      return matched.rule.remove === null ? null : filled(matched.rule.remove, matched.groups);
    if (negate === undefined || isPermanent(line)) return null;
    if (shape === "set") return line.replace(/^set\b/, () => negate);
    if (line.startsWith(`${negate} `)) return line.slice(negate.length + 1);
    for (const pattern of rules.negated ?? []) {
      const words = pattern.exec(line)?.[0];
      if (words !== undefined) return `${negate} ${words}`;
    }
    return `${negate} ${lines.length === 1 ? line : beginningOf(line)}`;
  }

  function leavingOf(line: string, closing: readonly string[]): string {
    if (shape === "blocks") return line.startsWith("edit ") ? "next" : "end";
    const own = closing.map((one) => one.trim()).find((one) => /^(?:exit|end)-/.test(one));
    return own ?? rules.leave ?? "exit";
  }

  return { modelOf, shown, flat, read, entryOf, sectionOf, emptySection };
}

const saysMore = (nodes: readonly ConfigNode[]) =>
  nodes.some(({ isNote, lines: [line = ""] }) => !isNote && !frame.test(shownLine(line).trim()));

/** Sections in which lines mean the same have the same kind. */
function sectionKinds(rules: TreeRules["lines"] = []): (header: string) => string {
  const places = new Map(
    rules.flatMap(({ within }) => (within === undefined ? [] : [[within.source, within]])),
  );
  const all = [...places.values()];
  return (header) => all.map((within) => (within.test(header) ? "1" : "0")).join("");
}

function filledAll(templates: readonly string[] | undefined, matched: Matched | undefined): string[] {
  if (templates === undefined || matched === undefined) return [];
  return templates.map((template) => filled(template, matched.groups));
}

function nameOf(matched: Matched | undefined, which: "single" | "distinct"): string | undefined {
  const template = matched?.rule[which];
  return template === undefined || matched === undefined ? undefined : filled(template, matched.groups);
}

export function withValues(entry: Entry, values: readonly string[]): Entry {
  const { list } = entry;
  if (list === undefined) return entry;
  return {
    ...entry,
    lines: [`${entry.key} ${textOfValues([...new Set(values)], list.rule)}`],
    list: { ...list, values: once(() => new Set(values)) },
  };
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** How many blanks stand between two words means nothing, except in a text. */
export function keyOf(lines: readonly string[]): string {
  return lines.length === 1 ? (lines[0] ?? "").replaceAll(/\s+/g, " ") : lines.join("\n");
}

/** `banner motd` of a banner: what names a text. */
export function beginningOf(line: string): string {
  return line.split(/\s+/, 2).join(" ");
}
