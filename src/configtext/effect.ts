/** What configuration lines would change in a configuration, as far as its text says so. */

import { type ConfigNode, parseTree } from "../configtree/tree.ts";
import { matchesAny, type TextRules } from "./rules.ts";

export interface EffectRules extends TextRules {
  /** `Running.negate` of the platform. */
  readonly negate: string;
}

export interface LinesEffect {
  /**
   * Changed lines with `+` and `-`, below the lines of their sections; empty: nothing changes. `?`: the line removes
   * what the text has not, so it turns a default off or does nothing.
   */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Lines that the configuration has already. */
  readonly present: number;
  readonly unclear: number;
  readonly isCut: boolean;
}

interface Entry {
  readonly lines: readonly string[];
  /** What it is compared by. */
  readonly key: string;
  readonly isNote: boolean;
  readonly entries: Entry[];
  state: "kept" | "added" | "removed" | "unclear";
  /** One of them is removed. */
  hasGap?: true;
  /** By key, of those that are not removed; made by its first use. */
  byKey?: Map<string, Entry>;
}

const leaves = /^(?:exit|quit|end|return|exit-[\w-]{1,40}|end-[\w-]{1,40}|next|commit)$/;
/** Changed lines that are shown; the counts have all. */
const mostLines = 2_000;

/**
 * Lines are taken one after the other, as the device would: one that stands behind a section without indentation belongs
 * to the section if something there begins with the same word, else to the whole. Takes linear time, except for removals,
 * which look at all lines of their section.
 */
export function effectOfLines(configuration: string, lines: string, rules: EffectRules): LinesEffect {
  const { negate, shape = "indent" } = rules;
  const isPermanent = matchesAny(rules.permanent);
  const top = entryOf({ lines: [], isNote: false, children: parseTree(configuration, rules) });
  const openers = new Set(top.entries.filter(({ entries }) => entries.length > 0).map(firstWord));
  let present = 0;

  function apply(nodes: readonly ConfigNode[], place: Entry): void {
    /** The section that lines without indentation are in. */
    let section: Entry | undefined;
    for (const node of nodes) {
      if (node.isNote) continue;
      const first = (node.lines[0] ?? "").trim();
      if (leaves.test(first)) {
        section = undefined;
        continue;
      }
      const isInside = section !== undefined && belongs(section, first, node, place);
      const at = isInside && section !== undefined ? section : place;
      const entry = one(node, first, at);
      if (!isInside) section = entry !== undefined && opens(node, entry, place) ? entry : undefined;
    }
  }

  function belongs(section: Entry, first: string, node: ConfigNode, place: Entry): boolean {
    const word = wordOf(bare(first));
    if (section.entries.some((entry) => entry.state !== "removed" && wordOf(bare(entry.key)) === word))
      return true;
    if (node.children.length > 0 || openers.has(word)) return false;
    return !place.entries.some((entry) => entry.state === "kept" && wordOf(bare(entry.key)) === word);
  }

  function opens({ children }: ConfigNode, entry: Entry, place: Entry): boolean {
    if (shape !== "indent" || children.length > 0) return false;
    return entry.entries.length > 0 || (place === top && openers.has(firstWord(entry)));
  }

  const bare = (line: string) => (line.startsWith(`${negate} `) ? line.slice(negate.length + 1) : line);

  /** @returns the line in the configuration, if it stands there now */
  function one(node: ConfigNode, first: string, place: Entry): Entry | undefined {
    const known = find(place, keyOf(node.lines));
    if (known !== undefined) {
      if (node.children.length === 0) present++;
      apply(node.children, known);
      return known;
    }
    const removal = removedBy(first);
    if (removal !== undefined) {
      const found = place.entries.filter((entry) => entry.state !== "removed" && isMeant(entry, removal));
      for (const entry of found) remove(entry, place);
      if (found.length === 0) place.entries.push({ ...entryOf({ ...node, children: [] }), state: "unclear" });
      return undefined;
    }
    const negated = find(place, `${negate} ${keyOf(node.lines)}`);
    if (negated !== undefined && shape !== "set") remove(negated, place);
    return add(node, place);
  }

  function removedBy(first: string): string | undefined {
    if (!first.startsWith(`${negate} `)) return undefined;
    const rest = keyOf([first.slice(negate.length + 1)]);
    return shape === "set" ? `set ${rest}` : rest;
  }

  function isMeant({ key, isNote, lines: [first = ""] }: Entry, removal: string): boolean {
    if (isNote || isPermanent?.(first.trim()) === true) return false;
    return key === removal || key.startsWith(`${removal} `) || key.startsWith(`${removal}\n`);
  }

  function add(node: ConfigNode, place: Entry): Entry {
    const key = keyOf(node.lines);
    const before = place.hasGap
      ? place.entries.find((entry) => entry.state === "removed" && entry.key === key)
      : undefined;
    const entry = before ?? { ...entryOf({ ...node, children: [] }), state: "added" as const };
    if (before === undefined) place.entries.push(entry);
    else {
      before.state = "kept";
      // It is empty again.
      for (const child of before.entries) child.state = "removed";
      before.hasGap = true;
      delete before.byKey;
    }
    place.byKey?.set(key, entry);
    apply(node.children, entry);
    return entry;
  }

  function remove(entry: Entry, place: Entry): void {
    place.byKey?.delete(entry.key);
    if (entry.state === "added") place.entries.splice(place.entries.indexOf(entry), 1);
    else {
      entry.state = "removed";
      place.hasGap = true;
    }
  }

  // An open last line would differ from the same one with an end.
  apply(parseTree(lines.endsWith("\n") ? lines : `${lines}\n`, rules), top);
  return { ...written(top), present };
}

function entryOf({ lines, isNote, children }: Pick<ConfigNode, "lines" | "isNote" | "children">): Entry {
  return { lines, isNote, key: keyOf(lines), entries: children.map(entryOf), state: "kept" };
}

function find(place: Entry, key: string): Entry | undefined {
  place.byKey ??= new Map(
    place.entries.flatMap((entry) =>
      entry.isNote || entry.state === "removed" ? [] : [[entry.key, entry] as const],
    ),
  );
  return place.byKey.get(key);
}

const keyOf = (lines: readonly string[]) => lines.map((line) => line.trim().replace(/\s+/g, " ")).join("\n");
const wordOf = (line: string) => line.split(/\s/, 1)[0] ?? "";
const firstWord = ({ key }: Entry) => wordOf(key);

const signs = { kept: undefined, added: "+", removed: "-", unclear: "?" } as const;
type Sign = "+" | "-" | "?" | undefined;

function written(top: Entry): Omit<LinesEffect, "present"> {
  const counts = { "+": 0, "-": 0, "?": 0 };
  const lines: string[] = [];
  let isCut = false;
  /** The entry that was written last, behind its sections. */
  let last: readonly Entry[] = [];
  const put = (sign: string, entry: Entry, depth: number) => {
    for (const line of entry.lines) {
      if (lines.length >= mostLines) isCut = true;
      else lines.push(`${sign}${" ".repeat(depth)}${line.trim()}`);
    }
  };
  const walk = (entry: Entry, path: readonly Entry[], above: Sign) => {
    const sign = above ?? signs[entry.state];
    const here = [...path, entry];
    if (sign !== undefined && !entry.isNote) {
      for (const [depth, section] of path.entries()) if (last[depth] !== section) put(" ", section, depth);
      put(sign, entry, path.length);
      counts[sign] += entry.lines.length;
      last = here;
    }
    // Below a line that is removed everything is.
    for (const child of entry.entries) walk(child, here, sign === "-" ? "-" : undefined);
  };
  for (const entry of top.entries) walk(entry, [], undefined);
  const { "+": added, "-": removed, "?": unclear } = counts;
  return { text: lines.join("\n"), added, removed, unclear, isCut };
}
