/** Lines that turn one configuration into another. */
import { remediateMenus } from "./menu-remedy.ts";
import { hasMenus } from "./menus.ts";
import { beginningOf, createModels, type Entry, once, type Section } from "./model.ts";
import { movesBetween } from "./moves.ts";
import type { Doubt, Remediation } from "./outcome.ts";
import { hasPaths, remediatePaths } from "./paths.ts";
import type { TreeRules } from "./rules.ts";
import { textsOfValues } from "./values.ts";

export type { Doubt, Remediation } from "./outcome.ts";

/** Text in hexadecimal that ends with `quit`: the device made it, and takes it back in a dialogue only. */
const certificates = /^crypto (?:pki|ca) certificate /;
const isCertificate = ({ lines: [first = ""] }: Entry) => certificates.test(first);

/**
 * What is no longer wanted is removed first, the last line first and what depends on a line before it; then what is missing
 * is added, in the order of the wanted text. A setting with one value is set, not removed and added. Takes linear time.
 */
export function remediate(from: string, to: string, rules: TreeRules): Remediation {
  if (hasMenus(rules)) return remediateMenus(from, to, rules);
  return hasPaths(rules) ? remediatePaths(from, to, rules) : remediateSections(from, to, rules);
}

function remediateSections(from: string, to: string, rules: TreeRules): Remediation {
  const { modelOf } = createModels(rules);
  const someTakeWhenSet = rules.lines?.some(({ takesWhenSet }) => takesWhenSet) === true;
  const doubts = new Set<Doubt>();
  const removing = createWriter();
  const naming = createWriter();
  const adding = createWriter();
  const unnaming = createWriter();
  /** Keys of entries that went with a removed one although they are wanted. */
  const gone = new Map<Section, Set<string>>();
  const alike: Alike = new Map();

  function remove(
    old: Section,
    wanted: Section,
    path: readonly Entry[],
    above: readonly string[],
    inOrder: boolean,
  ) {
    if (above.length === 0 && isSame(old, wanted, alike)) return;
    const lists = rewritten(old, wanted);
    const removed = [...old.entries.values()].filter((entry) => isRemoved(entry, wanted, lists));
    const taken = [...above, ...[...removed, ...takers(old, wanted)].flatMap(({ takes }) => takes)];
    const isTaken = (entry: Entry) => taken.some((start) => entry.lines[0]?.startsWith(start) === true);
    const unwanted = new Set(removed);
    const texts = once(
      () => new Set([...wanted.entries.keys()].filter((key) => key.includes("\n")).map(beginningOf)),
    );
    for (const entry of [...old.entries.values()].reverse()) {
      const known = wanted.entries.get(entry.key);
      const isBelow = inOrder || entry.isOrdered;
      if (isCertificate(entry)) {
        if (known === undefined || !isEqual(entry, known)) doubts.add("certificates");
      } else if (unwanted.has(entry)) {
        if (isBelow && !hasPlace(entry)) doubts.add("ordered");
        const isOwn = entry.takes.length > 0 || !isTaken(entry);
        // A text takes the place of the one before it.
        if (!isOwn || (entry.lines.length > 1 && texts().has(beginningOf(entry.key)))) continue;
        if (entry.removal === null) {
          if (entry.section === undefined) doubts.add("stays");
          else remove(entry.section, empty, [...path, entry], taken, isBelow);
          continue;
        }
        if (entry.section !== undefined && entry.section.entries.size > 0) doubts.add("sections");
        const isLast = entry.rule?.isNamed === true && !isNameUsed(entry, wanted);
        for (const line of removalsOf(entry)) (isLast ? unnaming : removing).write(path, [line]);
      } else {
        if (isTaken(entry)) gone.set(old, (gone.get(old) ?? new Set()).add(entry.key));
        if (entry.list !== undefined && known?.list !== undefined && entry.lines[0] !== known.lines[0]) {
          const [old, values] = [entry.list.values(), known.list.values()];
          const left = [...old].filter((value) => !values.has(value));
          const isPart = left.length < old.size || entry.list.rule.isCumulative === true;
          if (left.length > 0 && isPart)
            for (const text of textsOfValues(left, entry.list.rule))
              removing.write(path, [entry.list.removed(text)]);
        }
        if (entry.section !== undefined && (known === undefined || !isRewritten(entry, known)))
          remove(entry.section, known?.section ?? empty, [...path, entry], taken, isBelow);
      }
    }
  }

  /** Entries that take lines with them when they are set. */
  function takers(old: Section, wanted: Section): readonly Entry[] {
    if (!someTakeWhenSet) return [];
    return [...wanted.entries.values()].filter(
      ({ key, rule }) => rule?.takesWhenSet === true && !old.entries.has(key),
    );
  }

  function isRemoved(entry: Entry, wanted: Section, lists: ReadonlyMap<string, unknown>): boolean {
    const { key, single, distinct, rule, sequence, section } = entry;
    if (sequence !== undefined && lists.has(sequence.of)) return false;
    if (wanted.entries.has(key)) return false;
    if (single === undefined || !wanted.singles.has(single)) return true;
    if (distinct !== undefined && wanted.distincts.has(distinct)) return true;
    return rule?.refusesSecond === true || rule?.keepsMore === true || (section?.entries.size ?? 0) > 0;
  }

  /** A section whose lines have an order that cannot be had by adding at their end, and that is removed with them. */
  function isRewritten(known: Entry | undefined, entry: Entry): boolean {
    if (known?.section === undefined || entry.section === undefined || entry.removal === null) return false;
    return [...rewritten(known.section, entry.section).values()].some(({ whole }) => whole === undefined);
  }

  /** Lists whose order cannot be had by adding at their end: written anew, by name. */
  function rewritten(old: Section, wanted: Section): ReadonlyMap<string, Rewritten> {
    const [before, after] = [sequencesOf(old), sequencesOf(wanted)];
    const lists = new Map<string, Rewritten>();
    for (const [name, entries] of before) {
      const keys = after.get(name)?.map(({ key }) => key);
      if (keys === undefined) continue;
      const left = entries.filter(({ key }) => wanted.entries.has(key));
      const canRemove =
        left.length === entries.length || entries.every(({ sequence }) => sequence?.single === true);
      const isKept = left.every(({ key }, at) => keys[at] === key);
      if (!canRemove || !isKept) lists.set(name, { whole: entries[0]?.sequence?.whole, keys });
    }
    return lists;
  }

  function add(old: Section, wanted: Section, path: readonly Entry[], inOrder: boolean): void {
    if (alike.get(old) === wanted) return;
    const lists = rewritten(old, wanted);
    for (const entry of wanted.entries.values()) {
      const known = old.entries.get(entry.key);
      const isBelow = inOrder || entry.isOrdered;
      const list = entry.sequence && lists.get(entry.sequence.of);
      if (isCertificate(entry)) {
        if (known === undefined) doubts.add("certificates");
      } else if (list !== undefined) {
        // Written where its first line stands.
        if (list.keys[0] !== entry.key || list.whole === undefined) continue;
        doubts.add("gap");
        adding.write(path, [list.whole]);
        for (const key of list.keys) adding.write(path, wanted.entries.get(key)?.lines ?? []);
      } else if (known === undefined || gone.get(old)?.has(known.key) === true) {
        if (isBelow && !hasPlace(entry)) doubts.add("ordered");
        addWhole(entry, path, entry.rule?.isNamed === true ? naming : adding);
      } else if (isRewritten(known, entry)) {
        doubts.add("gap");
        adding.write(path, [known.removal ?? ""]);
        addWhole(entry, path, adding);
      } else {
        if (entry.list !== undefined && known.list !== undefined) addValues(entry, known, path);
        if (entry.section !== undefined)
          add(known.section ?? empty, entry.section, [...path, entry], isBelow);
      }
    }
    arrange(old, wanted, path);
  }

  /** Puts entries that have places into their order. */
  function arrange(old: Section, wanted: Section, path: readonly Entry[]): void {
    const places = placesOf(wanted);
    for (const [of, before] of places.size === 0 ? [] : placesOf(old)) {
      const entries = places.get(of) ?? new Map<string, Entry>();
      const names = [...entries.keys()];
      const current = [...before.keys()].filter((name) => entries.has(name));
      for (const { name, where, other } of movesBetween(
        [...current, ...names.filter((one) => !before.has(one))],
        names,
      ))
        adding.write(path, [entries.get(name)?.place?.moved(where, other) ?? ""]);
    }
  }

  function addValues(entry: Entry, known: Entry, path: readonly Entry[]): void {
    const { list, lines } = entry;
    if (list === undefined || known.list === undefined || lines[0] === known.lines[0]) return;
    const [all, values] = [list.values(), known.list.values()];
    const more = [...all].filter((value) => !values.has(value));
    if (more.length === 0) return;
    // Nothing of the old list stays: the new one takes its place.
    const isOther = more.length === all.size;
    if (isOther && list.rule.isCumulative !== true) adding.write(path, lines);
    else writeValues(entry, more, path, adding);
  }

  /** What follows a line that opens a section of its values is not for that. */
  function writeValues(
    { list, leaving }: Entry,
    values: Iterable<string>,
    path: readonly Entry[],
    writer: typeof adding,
  ): void {
    if (list === undefined) return;
    for (const text of textsOfValues([...values], list.rule)) {
      writer.write(path, [list.added(text)]);
      if (list.rule.opensSection === true) writer.write(path, [leaving]);
    }
  }

  function addWhole(entry: Entry, path: readonly Entry[], writer: typeof adding): void {
    const { list, lines, section } = entry;
    if (list?.rule.isCumulative === true) writeValues(entry, list.values(), path, writer);
    else writer.write(path, lines);
    if (section === undefined) return;
    writer.enter(entry);
    for (const child of section.entries.values()) addWhole(child, [...path, entry], writer);
  }

  const [old, wanted] = [modelOf(from), modelOf(to)];
  remove(old, wanted, [], [], false);
  add(old, wanted, [], false);
  const writers = [removing, naming, adding, unnaming];
  return { lines: writers.flatMap((writer) => writer.lines()), doubts: [...doubts] };
}

/** A list to which lines add goes by the values that it has. */
function removalsOf({ list, removal }: Entry): readonly string[] {
  return list?.rule.isCumulative === true
    ? textsOfValues([...list.values()], list.rule).map((text) => list.removed(text))
    : [removal ?? ""];
}

/** Another value of the same setting is wanted. */
function isNameUsed({ single, distinct }: Entry, wanted: Section): boolean {
  return (
    (single !== undefined && wanted.singles.has(single)) ||
    (distinct !== undefined && wanted.distincts.has(distinct))
  );
}

/** By the name of what they are among, and by their own. */
function placesOf({ entries }: Section): ReadonlyMap<string, ReadonlyMap<string, Entry>> {
  const places = new Map<string, Map<string, Entry>>();
  for (const entry of entries.values()) {
    if (entry.place === undefined) continue;
    const { of, name } = entry.place;
    const own = places.get(of) ?? new Map<string, Entry>();
    places.set(of, own.set(name, entry));
  }
  return places;
}

const empty: Section = {
  ...{ header: "", entries: new Map(), singles: new Map(), distincts: new Map(), known: new Map() },
};

/** Sections, with those that are the same. */
type Alike = Map<Section, Section>;

/** The same entries in the same order. Sections are noted, so that none is looked at again for those above it. */
function isSame(one: Section, other: Section, alike: Alike): boolean {
  if (alike.get(one) === other) return true;
  if (one.entries.size !== other.entries.size) return false;
  const others = other.entries.values();
  for (const entry of one.entries.values()) {
    const beside = others.next().value;
    if (entry === beside) continue;
    if (beside === undefined || entry.key !== beside.key || entry.lines[0] !== beside.lines[0]) return false;
    if (entry.section === undefined || beside.section === undefined) {
      if (entry.section !== beside.section) return false;
    } else if (!isSame(entry.section, beside.section, alike)) return false;
  }
  alike.set(one, other);
  return true;
}

interface Rewritten {
  /** The line that removes it; undefined: it goes with its section. */
  readonly whole: string | undefined;
  readonly keys: readonly string[];
}

function sequencesOf({ entries }: Section): ReadonlyMap<string, readonly Entry[]> {
  const lists = new Map<string, Entry[]>();
  for (const entry of entries.values()) {
    if (entry.sequence === undefined) continue;
    const list = lists.get(entry.sequence.of) ?? [];
    list.push(entry);
    lists.set(entry.sequence.of, list);
  }
  return lists;
}

/** The system knows where it belongs, by its number or by its list, or it is moved there. */
const hasPlace = ({ single, sequence, place }: Entry) =>
  single !== undefined || sequence !== undefined || place !== undefined;

function isEqual(one: Entry, other: Entry): boolean {
  return textOf(one).join("\n") === textOf(other).join("\n");
}

const textOf = ({ lines, section }: Entry): string[] => [
  ...lines,
  ...[...(section?.entries.values() ?? [])].flatMap(textOf),
];

/** Lines in the sections that they belong to, which are entered and left as needed. */
function createWriter() {
  const lines: string[] = [];
  const open: Entry[] = [];
  function leaveTo(depth: number): void {
    while (open.length > depth) {
      const entry = open.pop();
      if (entry !== undefined) lines.push(indented(entry.leaving, open.length));
    }
  }
  return {
    /** Only the first line of a text is indented. */
    write(path: readonly Entry[], [first = "", ...rest]: readonly string[]): void {
      let same = 0;
      while (same < open.length && open[same]?.key === path[same]?.key) same++;
      leaveTo(same);
      for (const entry of path.slice(same)) {
        lines.push(indented(entry.lines[0] ?? "", open.length));
        open.push(entry);
      }
      lines.push(indented(first, path.length), ...rest);
    },
    /** The last line that was written is this section. */
    enter: (entry: Entry): void => void open.push(entry),
    lines(): readonly string[] {
      leaveTo(0);
      return lines;
    },
  };
}

const indented = (line: string, depth: number) => " ".repeat(depth) + line;
