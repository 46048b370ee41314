/** The lines that close the gap between what a configuration is and what it should be, and their proof. */
import { apply, modelLines } from "../../configtree/apply.ts";
import { type Entry, type Section, withValues } from "../../configtree/model.ts";
import { type Doubt, remediate } from "../../configtree/remediate.ts";
import type { TreeRules } from "../../configtree/rules.ts";
import type { TwinMode } from "../../twin/twin.ts";
import { proofOf, type TwinProof } from "../twin-proof.ts";
import { compareSections, createMeanings, type DriftKind, type Salted } from "./compare.ts";
import type { IntentSections } from "./sections.ts";

export interface Fix {
  /** Empty: nothing of these sections drifts. */
  readonly lines: readonly string[];
  readonly doubts: readonly Doubt[];
  /** What the lines would leave is what the intent wants of these sections, and nothing else has changed. */
  readonly isProven: boolean;
  /** The configuration that they would leave. */
  readonly left: string;
  /** Part of the proof; undefined: the configuration is too long for a twin. */
  readonly twin: TwinProof | undefined;
}

/**
 * @param only names of the sections that are mended; undefined: all
 */
export function fixOf(
  nowText: string,
  wantedText: string,
  intent: IntentSections,
  {
    rules,
    salted,
    only,
    modes,
  }: {
    readonly rules: TreeRules;
    readonly salted: Salted;
    readonly only?: ReadonlySet<string> | undefined;
    readonly modes?: readonly TwinMode[] | undefined;
  },
): Fix {
  const meaningOf = createMeanings(rules);
  const wanted = meaningOf(wantedText);
  const target = meaningOf(nowText);
  const edits = editsOf(target.top);
  const isMended = (at: number) => only?.has(intent.sections[at]?.name ?? "") !== false;
  compareSections(meaningOf(nowText), wanted, intent, salted, {
    differs: (at, kind, path, entry, was) =>
      void (isMended(at) && edits.add(kind, path, entry, was, isLoose(at))),
    ordered: (at, path, keys) => void (isMended(at) && edits.order(path, keys)),
  });
  edits.make();
  const targetText = textOf(target.top);
  const { lines, doubts } = remediate(nowText, targetText, rules);
  const leftText = apply(nowText, lines, rules).text;
  const isAsWanted = (text: string): boolean => {
    const left = meaningOf(text);
    const mended = compareSections(left, wanted, intent, salted).sections.filter((_, at) => isMended(at));
    return (
      isCompliant(compareSections(left, meaningOf(targetText), everything).sections) && isCompliant(mended)
    );
  };
  const sent = lines.flatMap((line) => line.split("\n"));
  const twin = proofOf({ now: nowText, lines: sent, rules, modes, isWanted: isAsWanted });
  const isProven = isAsWanted(leftText) && twin?.isProven !== false;
  return { lines, doubts, isProven, left: leftText, twin };

  function isLoose(at: number): boolean {
    return intent.sections[at]?.mode === "contains";
  }
}

const everything: IntentSections = { sections: [{ name: "", match: ["*"], mode: "exact" }], ignore: [] };

/** A secret that cannot be compared is left as it is. */
const isCompliant = (sections: ReturnType<typeof compareSections>["sections"]) =>
  sections.every(({ state }) => state === "compliant" || state === "unknown");

const textOf = (top: Section) =>
  modelLines(top)
    .map((line) => `${line}\n`)
    .join("");

/** Changes a configuration in place. */
function editsOf(top: Section) {
  const orders: (() => void)[] = [];
  const grown = new Set<Section>();

  const find = (path: readonly Entry[]): Section | undefined =>
    path.reduce<Section | undefined>((here, { key }) => here?.entries.get(key)?.section, top);

  const sectionAt = (path: readonly Entry[]): Section => {
    let here = top;
    for (const { key, lines, ...rest } of path) {
      const known = here.entries.get(key) ?? { key, lines, ...rest, section: undefined };
      const section = known.section ?? newSection(lines[0] ?? "");
      if (known.section === undefined) here.entries.set(key, { ...known, section });
      here = section;
    }
    return here;
  };

  return {
    add(
      kind: DriftKind,
      path: readonly Entry[],
      entry: Entry,
      was: Entry | undefined,
      isLoose: boolean,
    ): void {
      if (kind === "moved" || kind === "unverified") return;
      if (kind === "extra") drop(find(path), entry);
      else {
        const here = sectionAt(path);
        set(here, placed(here, entry, was, isLoose));
        if (path.length > 0) grown.add(here);
      }
    },
    order(path: readonly Entry[], keys: readonly string[]): void {
      orders.push(() => {
        const { entries } = sectionAt(path);
        const ordered = keys.filter((key) => entries.has(key));
        const among = new Set(ordered);
        const all = [...entries].map(([key, entry]) => {
          const next = among.has(key) ? (ordered.shift() ?? key) : key;
          return [next, entries.get(next) ?? entry] as const;
        });
        entries.clear();
        for (const [key, entry] of all) entries.set(key, entry);
      });
    },
    make(): void {
      for (const { entries } of grown) needsFirst(entries);
      for (const order of orders) order();
    },
  };
}

/**
 * What other lines need stands before them, and lines before sections: a neighbour has to be there before it is described,
 * and before its family has it.
 */
function needsFirst(entries: Map<string, Entry>): void {
  const rankOf = ({ rule, section }: Entry) => (section !== undefined ? 2 : rule?.isNeeded === true ? 0 : 1);
  const sorted = [...entries].sort(([, a], [, b]) => rankOf(a) - rankOf(b));
  entries.clear();
  for (const [key, entry] of sorted) entries.set(key, entry);
}

/** What takes the place of what was there, which goes. */
function placed(here: Section, entry: Entry, was: Entry | undefined, isLoose: boolean): Entry {
  if (was === undefined) return { ...entry, section: entry.section && newSection(entry.section.header) };
  if (entry.list !== undefined && was.list !== undefined)
    return isLoose ? withValues(entry, [...was.list.values(), ...entry.list.values()]) : entry;
  const { section } = here.entries.get(was.key) ?? entry;
  drop(here, was);
  return { ...entry, section };
}

const newSection = (header: string): Section => ({
  ...{ header, entries: new Map(), singles: new Map(), distincts: new Map(), known: new Map() },
});

function set({ entries, singles, distincts }: Section, entry: Entry): void {
  // The system keeps only one of both: what is wanted takes its place, also where there may be more.
  const twin = entry.distinct === undefined ? undefined : distincts.get(entry.distinct);
  if (twin !== undefined && twin !== entry.key) entries.delete(twin);
  entries.set(entry.key, entry);
  if (entry.single !== undefined) singles.set(entry.single, entry.key);
  if (entry.distinct !== undefined) distincts.set(entry.distinct, entry.key);
}

function drop(here: Section | undefined, { key, single }: Entry): void {
  here?.entries.delete(key);
  if (single !== undefined && here?.singles.get(single) === key) here.singles.delete(single);
}
