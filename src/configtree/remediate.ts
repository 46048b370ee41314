/** Lines that turn one configuration into another. */
import { beginningOf, createModels, type Entry, once, type Section } from "./model.ts";
import type { TreeRules } from "./rules.ts";
import { createWriter } from "./writer.ts";

/** What to look at before the lines are sent. */
export const doubtWords = ["ordered", "certificates", "sections", "gap", "stays"] as const;
/**
 * `ordered`: lines whose order counts are added or removed, and added ones stand behind those that stay. `certificates`:
 * they differ, and no line restores them. `sections`: whole sections are removed. `gap`: a list whose order counts is
 * written anew, and for a moment it is not there. `stays`: a line that nothing removes is not wanted.
 */
export type Doubt = (typeof doubtWords)[number];

export interface Remediation {
  readonly lines: readonly string[];
  readonly doubts: readonly Doubt[];
}

/** Text in hexadecimal that ends with `quit`: the device made it, and takes it back in a dialogue only. */
const certificates = /^crypto (?:pki|ca) certificate /;
const isCertificate = ({ lines: [first = ""] }: Entry) => certificates.test(first);

/**
 * What is no longer wanted is removed first, the last line first and what depends on a line before it; then what is missing
 * is added, in the order of the wanted text. A setting with one value is set, not removed and added. Takes linear time.
 */
export function remediate(from: string, to: string, rules: TreeRules): Remediation {
  const { modelOf } = createModels(rules);
  const doubts = new Set<Doubt>();
  const removing = createWriter();
  const adding = createWriter();
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
    const taken = [...above, ...removed.flatMap(({ takes }) => takes)];
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
        removing.write(path, [entry.removal]);
      } else {
        if (isTaken(entry)) gone.set(old, (gone.get(old) ?? new Set()).add(entry.key));
        if (entry.list !== undefined && known?.list !== undefined && entry.lines[0] !== known.lines[0]) {
          const [old, values] = [entry.list.values(), known.list.values()];
          const left = [...old].filter((value) => !values.has(value));
          if (left.length > 0 && left.length < old.size) removing.write(path, [entry.list.removed(left)]);
        }
        if (entry.section !== undefined && (known === undefined || !isRewritten(entry, known)))
          remove(entry.section, known?.section ?? empty, [...path, entry], taken, isBelow);
      }
    }
  }

  function isRemoved(entry: Entry, wanted: Section, lists: ReadonlyMap<string, unknown>): boolean {
    const { key, single, distinct, rule, sequence, section } = entry;
    if (sequence !== undefined && lists.has(sequence.of)) return false;
    if (wanted.entries.has(key)) return false;
    if (single === undefined || !wanted.singles.has(single)) return true;
    if (distinct !== undefined && wanted.distincts.has(distinct)) return true;
    return rule?.refusesSecond === true || (section?.entries.size ?? 0) > 0;
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
        addWhole(entry, path);
      } else if (isRewritten(known, entry)) {
        doubts.add("gap");
        adding.write(path, [known.removal ?? ""]);
        addWhole(entry, path);
      } else {
        if (entry.list !== undefined && known.list !== undefined) addValues(entry, known, path);
        if (entry.section !== undefined)
          add(known.section ?? empty, entry.section, [...path, entry], isBelow);
      }
    }
  }

  function addValues({ list, lines }: Entry, known: Entry, path: readonly Entry[]): void {
    if (list === undefined || known.list === undefined || lines[0] === known.lines[0]) return;
    const [all, values] = [list.values(), known.list.values()];
    const more = [...all].filter((value) => !values.has(value));
    if (more.length === 0) return;
    // Nothing of the old list stays: the new one takes its place.
    const isOther = more.length === all.size;
    adding.write(path, isOther ? lines : [list.added(more)]);
  }

  function addWhole(entry: Entry, path: readonly Entry[]): void {
    adding.write(path, entry.lines);
    if (entry.section === undefined) return;
    adding.enter(entry);
    for (const child of entry.section.entries.values()) addWhole(child, [...path, entry]);
  }

  const [old, wanted] = [modelOf(from), modelOf(to)];
  remove(old, wanted, [], [], false);
  add(old, wanted, [], false);
  return { lines: [...removing.lines(), ...adding.lines()], doubts: [...doubts] };
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

/** The system knows where it belongs, by its number or by its list. */
const hasPlace = ({ single, sequence }: Entry) => single !== undefined || sequence !== undefined;

function isEqual(one: Entry, other: Entry): boolean {
  return textOf(one).join("\n") === textOf(other).join("\n");
}

const textOf = ({ lines, section }: Entry): string[] => [
  ...lines,
  ...[...(section?.entries.values() ?? [])].flatMap(textOf),
];
