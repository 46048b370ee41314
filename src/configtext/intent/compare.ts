/** What a configuration should be against what it is, section by section. Pure, and linear in the length of the texts. */
import { createModels, type Entry, keyOf, type Section } from "../../configtree/model.ts";
import type { TreeRules } from "../../configtree/rules.ts";
import { hasClosedMark } from "./closed-marks.ts";
import { createPlaces, emptySection, type IntentSections, ignored, none, type Place } from "./sections.ts";

/**
 * `missing`: it should be there; `extra`: it should not; `differs`: it has another value; `moved`: its place counts and
 * is another one; `unverified`: a secret whose salted or encrypted form cannot be compared.
 */
export const driftKinds = ["missing", "extra", "differs", "moved", "unverified"] as const;
export type DriftKind = (typeof driftKinds)[number];

export interface DriftLine {
  readonly kind: DriftKind;
  /** The lines that it stands below, outermost first. */
  readonly path: readonly string[];
  /** As it should be; of an extra line, as it is. */
  readonly lines: readonly string[];
  /** As it is, of one that differs or is not verified. */
  readonly was?: readonly string[];
}

export const sectionStates = ["compliant", "drifted", "unknown", "intent_error"] as const;
export type SectionState = (typeof sectionStates)[number];

export interface ComparedSection {
  readonly name: string;
  readonly state: Extract<SectionState, "compliant" | "drifted" | "unknown" | "intent_error">;
  readonly counts: Readonly<Record<DriftKind, number>>;
  /** The first of them. */
  readonly lines: readonly DriftLine[];
  readonly isCut: boolean;
}

export interface Compared {
  readonly sections: readonly ComparedSection[];
  /** Lines of the intent that belong to no section: nothing compares them. */
  readonly unmatched: number;
}

/** A configuration as it means. */
export interface Meant {
  readonly top: Section;
}

/** A text that is not in the configuration as it is written there: see `secrets.ts`. */
export interface Salted {
  has(line: string): boolean;
}

/** Lines that are kept of one section. */
export const mostLines = 200;

/** What texts mean: a line that many of them have is read once. */
export function createMeanings(rules: TreeRules): (text: string) => Meant {
  const { modelOf } = createModels(rules);
  return (text) => ({ top: modelOf(text) });
}

/** How a configuration becomes what it should be. `path`: the entries that it stands below. */
export interface DriftVisitor {
  differs(at: number, kind: DriftKind, path: readonly Entry[], entry: Entry, was: Entry | undefined): void;
  /** The order of these lines counts. */
  ordered(at: number, path: readonly Entry[], keys: readonly string[]): void;
}

/**
 * @param now what the device has, with secrets as marks
 * @param wanted what it should have, likewise
 * @param salted lines of the intent, as {@link withoutSecrets}, whose secrets have no one form
 */
export function compareSections(
  now: Meant,
  wanted: Meant,
  intent: IntentSections,
  salted: Salted = new Set(),
  visitor?: DriftVisitor,
): Compared {
  const { sections } = intent;
  const places = createPlaces(intent);
  const found = sections.map(() => createSectionReport());
  let unmatched = 0;

  walk(now.top, wanted.top, places.top, places.top, []);
  return {
    sections: sections.map(({ name, mode }, at) => {
      const { counts, lines, isCut, wasWanted } = found[at] ?? createSectionReport();
      const differing = counts.missing + counts.extra + counts.differs + counts.moved;
      const state =
        mode === "absent" && wasWanted
          ? "intent_error"
          : differing > 0
            ? "drifted"
            : counts.unverified > 0
              ? "unknown"
              : "compliant";
      return { name, state, counts, lines, isCut };
    }),
    unmatched,
  };

  function modeOf(at: number) {
    return sections[at]?.mode ?? "contains";
  }

  function report(at: number, kind: DriftKind, path: readonly Entry[], entry: Entry, was?: Entry): void {
    found[at]?.add(kind, () => ({
      ...{ kind, path: path.map(lineOf), lines: entry.lines },
      ...(was === undefined ? {} : { was: was.lines }),
    }));
    visitor?.differs(at, kind, path, entry, was);
  }

  function walk(
    a: Section,
    b: Section,
    placeA: Place,
    placeB: Place,
    path: readonly Entry[],
    /** Whether the line above is one that the intent names. */
    isNamed = false,
  ): void {
    const handled = new Set<Entry>();
    const loose: { readonly entry: Entry; readonly place: Place }[] = [];
    for (const entry of b.entries.values()) {
      const place = places.placeOf(placeB, entry);
      const { section } = place;
      if (section === ignored) continue;
      if (section >= 0) found[section]?.wanted();
      const known = a.entries.get(entry.key);
      if (known !== undefined) {
        handled.add(known);
        if (section >= 0 && modeOf(section) === "absent") continue;
        if (section >= 0) compareValues(known, entry, section, path);
        else if (entry.section === undefined) unmatched++;
        if (entry.section !== undefined || known.section !== undefined)
          walk(
            known.section ?? emptySection,
            entry.section ?? emptySection,
            places.placeOf(placeA, known),
            place,
            [...path, entry],
            section >= 0,
          );
        continue;
      }
      loose.push({ entry, place });
    }
    const isSecret = (entry: Entry) => entry.lines.some((line) => line.includes("<secret "));
    /** Lines that differ in their secrets only have one form. */
    const byForm = new Map<string, Entry[]>();
    for (const entry of a.entries.values())
      if (!handled.has(entry) && !b.entries.has(entry.key) && isSecret(entry)) {
        const form = formOf(entry);
        byForm.set(form, [...(byForm.get(form) ?? []), entry]);
      }
    for (const { entry, place } of loose) {
      const { section } = place;
      if (section < 0 || modeOf(section) === "absent") {
        if (section === none) unmatched += entry.section === undefined ? 1 : 0;
        if (entry.section !== undefined)
          walk(emptySection, entry.section, placeA, place, [...path, entry], false);
        continue;
      }
      const twin =
        otherValueOf(entry, a, handled) ?? (isSecret(entry) ? byForm.get(formOf(entry))?.shift() : undefined);
      if (twin !== undefined && !handled.has(twin)) {
        handled.add(twin);
        const isSalted =
          isSecret(twin) &&
          formOf(twin) === formOf(entry) &&
          (isEncrypted(twin) || isEncrypted(entry) || isClosed(entry) || salted.has(formOf(entry)));
        report(section, isSalted ? "unverified" : "differs", path, entry, twin);
        if (entry.section !== undefined || twin.section !== undefined)
          walk(
            twin.section ?? emptySection,
            entry.section ?? emptySection,
            places.placeOf(placeA, twin),
            place,
            [...path, entry],
            true,
          );
        continue;
      }
      report(section, "missing", path, entry);
      if (entry.section !== undefined)
        walk(emptySection, entry.section, placeA, place, [...path, entry], true);
    }
    for (const entry of a.entries.values()) {
      if (handled.has(entry)) continue;
      const place = places.placeOf(placeA, entry);
      const { section } = place;
      if (section === ignored) continue;
      // Nothing that the intent names stands below it either.
      if (section >= 0 && isUnwanted(section, placeA.section === section, isNamed)) {
        report(section, "extra", path, entry);
        if (entry.section !== undefined && modeOf(section) !== "absent")
          walk(entry.section, emptySection, place, placeB, [...path, entry], true);
      } else if (entry.section !== undefined)
        walk(entry.section, emptySection, place, placeB, [...path, entry], false);
    }
    reportOrder(a, b, placeB, path);
  }

  /** Whether a line that the intent has not is drift. */
  function isUnwanted(section: number, isBelow: boolean, isNamed: boolean): boolean {
    const mode = modeOf(section);
    if (mode === "contains") return false;
    if (mode === "absent") return !isBelow;
    if (mode === "ignore_extra") return isBelow && isNamed;
    return true;
  }

  function compareValues(a: Entry, b: Entry, section: number, path: readonly Entry[]): void {
    if (a.list === undefined || b.list === undefined || a.lines[0] === b.lines[0]) return;
    const [values, should] = [a.list.values(), b.list.values()];
    const isMissing = [...should].some((value) => !values.has(value));
    const isExtra = modeOf(section) !== "contains" && [...values].some((value) => !should.has(value));
    if (isMissing || isExtra) report(section, "differs", path, b, a);
  }

  /** Lines that both have, in another order, where the order counts. */
  function reportOrder(a: Section, b: Section, placeB: Place, path: readonly Entry[]): void {
    const byList = new Map<
      string,
      { readonly section: number; readonly keys: string[]; readonly all: string[] }
    >();
    for (const entry of b.entries.values()) {
      const { section } = places.placeOf(placeB, entry);
      if (section < 0 || modeOf(section) === "absent") continue;
      const isAll = modeOf(section) === "ordered";
      // What has a number or a name has its place, wherever it is written.
      const hasPlace = entry.sequence === undefined && (!entry.isOrdered || entry.single !== undefined);
      if (!isAll && hasPlace) continue;
      const name = isAll ? `${section}` : `${section} ${entry.sequence?.of ?? ""}`;
      const list = byList.get(name) ?? { section, keys: [], all: [] };
      list.all.push(entry.key);
      if (a.entries.has(entry.key)) list.keys.push(entry.key);
      byList.set(name, list);
    }
    if (byList.size === 0) return;
    const positions = new Map([...a.entries.keys()].map((key, at) => [key, at]));
    for (const { section, keys, all } of byList.values()) {
      visitor?.ordered(section, path, all);
      const kept = longestRise(keys.map((key) => positions.get(key) ?? 0));
      for (const [at, key] of keys.entries()) {
        const entry = kept.has(at) ? undefined : b.entries.get(key);
        if (entry !== undefined) report(section, "moved", path, entry);
      }
    }
  }
}

const lineOf = ({ lines: [first = ""] }: Entry) => first;

/** The entry that has another value of the same setting. */
function otherValueOf({ single }: Entry, a: Section, handled: ReadonlySet<Entry>): Entry | undefined {
  const key = single === undefined ? undefined : a.singles.get(single);
  const other = key === undefined ? undefined : a.entries.get(key);
  return other === undefined || handled.has(other) ? undefined : other;
}

/** What says in which form a secret is written, and the mark of the secret. */
const secretForm =
  /(?:(?<=\s|^)(?:\d{1,2}|sha-?\d*|md5|encrypted|cipher|irreversible-cipher|ciphertext|hash(?:ed)?|simple|plain|plaintext|clear|cleartext|scrypt|pbkdf2)\s+)?["']?<secret [0-9a-f]+>["']?/g;
const encryptedForm =
  /(?:(?<=\s|^)(?:[4-9]|1\d|sha-?\d*|md5|encrypted|cipher|irreversible-cipher|ciphertext|hash(?:ed)?|scrypt|pbkdf2)\s+|encrypted-password\s+)["']?<secret /;

/** A line without its secrets and the words that say how they are written. */
export function withoutSecrets(line: string): string {
  return line.replaceAll(secretForm, "<secret>");
}

const formOf = ({ lines }: Entry) => withoutSecrets(keyOf(lines));
const isClosed = ({ lines }: Entry) => lines.some(hasClosedMark);
const isEncrypted = ({ lines }: Entry) => lines.some((line) => encryptedForm.test(line));

function createSectionReport() {
  const counts: Record<DriftKind, number> = { missing: 0, extra: 0, differs: 0, moved: 0, unverified: 0 };
  const lines: DriftLine[] = [];
  return {
    counts,
    lines,
    isCut: false,
    wasWanted: false,
    wanted() {
      this.wasWanted = true;
    },
    add(kind: DriftKind, line: () => DriftLine) {
      counts[kind]++;
      if (lines.length < mostLines) lines.push(line());
      else this.isCut = true;
    },
  };
}

/** Indexes of a longest part of the numbers that rises. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) kept.add(at);
  return kept;
}
