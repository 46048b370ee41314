/** The entries of sections by what lines ask of them, kept with each change, so that no line looks at all of them. */
import type { Entry, Section } from "./model.ts";

/**
 * `word`: the first word, without that of negation; `start`: the first word of the key; `removal`: the line that removes
 * it; `whole`: the one that removes its list; `sequence`: the name of its list; `values`: the first
 * word, or two, of a line that adds values to its list or removes some; `takes`: the beginning of
 * lines that go with it; `distinct`: what only one entry may be named; `place`: the name by which it is moved.
 */
type Way = "word" | "start" | "removal" | "whole" | "sequence" | "values" | "takes" | "distinct" | "place";

export const wordOf = (line: string) => line.split(" ", 1)[0] ?? "";

/** The first two words. */
export const wordsOf = (line: string) => line.split(" ", 2).join(" ");

/** Those of the first two words that stand before the values. */
const firstWords = (form: string) => {
  const words = form.slice(0, form.indexOf("\0")).split(" ");
  return words.slice(0, Math.min(2, words.length - 1)).join(" ");
};

export interface EntryIndex {
  put(section: Section, entry: Entry): void;
  /** @returns whether it was there */
  drop(section: Section, key: string): boolean;
  has(section: Section, way: Way, name: string): boolean;
  with(section: Section, way: Way, name: string): Entry[];
  /** Lines that begin so, without the word of negation, in a section and in those below it. */
  below(section: Section, start: string): Found[];
}

export interface Found {
  readonly section: Section;
  readonly entry: Entry;
}

/** The lines of a section and of those below it, by their first words. */
type Below = Map<string, Map<Section, Set<string>>>;

/** @param bare a line without the word of negation */
export function createEntryIndex(bare: (line: string) => string): EntryIndex {
  const known = new WeakMap<Section, Map<string, Map<string, Entry>>>();
  /** Of sections whose lines were asked for with those below them. */
  const belows = new WeakMap<Section, Below>();
  const parents = new WeakMap<Section, Section>();

  function namesOf({
    key,
    lines: [first = ""],
    removal,
    sequence,
    list,
    takes,
    distinct,
    place,
  }: Entry): string[] {
    return [
      `word ${wordOf(bare(first))}`,
      `start ${wordOf(key)}`,
      ...(removal === null ? [] : [`removal ${removal}`]),
      ...(sequence === undefined ? [] : [`sequence ${sequence.of}`]),
      ...(sequence?.whole === undefined ? [] : [`whole ${sequence.whole}`]),
      ...(list === undefined
        ? []
        : [list.added, list.removed].map((form) => `values ${firstWords(form("\0"))}`)),
      ...takes.map((start) => `takes ${start}`),
      ...(distinct === undefined ? [] : [`distinct ${distinct}`]),
      ...(place === undefined ? [] : [`place ${place.name}`]),
    ];
  }

  function add(index: Map<string, Map<string, Entry>>, entry: Entry): void {
    for (const name of namesOf(entry)) {
      const entries = index.get(name) ?? new Map<string, Entry>();
      index.set(name, entries.set(entry.key, entry));
    }
  }

  function remove(index: Map<string, Map<string, Entry>>, entry: Entry, kept: readonly string[] = []): void {
    for (const name of namesOf(entry)) {
      if (kept.includes(name)) continue;
      const entries = index.get(name);
      entries?.delete(entry.key);
      if (entries?.size === 0) index.delete(name);
    }
  }

  function indexOf(section: Section): Map<string, Map<string, Entry>> {
    const made = known.get(section);
    if (made !== undefined) return made;
    const index = new Map<string, Map<string, Entry>>();
    for (const entry of section.entries.values()) add(index, entry);
    known.set(section, index);
    return index;
  }

  /** Puts a line, and what stands below it, where it is found from all sections around it that were asked. */
  function noteBelow(
    below: Below,
    section: Section,
    { key, lines: [first = ""], section: own }: Entry,
  ): void {
    const words = bare(first);
    for (const name of [wordOf(words), wordsOf(words)]) {
      const places = below.get(name) ?? new Map<Section, Set<string>>();
      below.set(name, places.set(section, (places.get(section) ?? new Set()).add(key)));
    }
    if (own === undefined) return;
    parents.set(own, section);
    for (const entry of own.entries.values()) noteBelow(below, own, entry);
  }

  function noteAbove(section: Section, entry: Entry): void {
    if (entry.section !== undefined) parents.set(entry.section, section);
    for (let at: Section | undefined = section; at !== undefined; at = parents.get(at)) {
      const below = belows.get(at);
      if (below !== undefined) noteBelow(below, section, entry);
    }
  }

  function belowOf(section: Section): Below {
    const made = belows.get(section);
    if (made !== undefined) return made;
    const below: Below = new Map();
    for (const entry of section.entries.values()) noteBelow(below, section, entry);
    belows.set(section, below);
    return below;
  }

  return {
    put(section, entry) {
      const index = known.get(section);
      const before = section.entries.get(entry.key);
      section.entries.set(entry.key, entry);
      noteAbove(section, entry);
      if (index === undefined) return;
      if (before !== undefined) remove(index, before, namesOf(entry));
      add(index, entry);
    },
    drop(section, key) {
      const entry = section.entries.get(key);
      if (entry === undefined) return false;
      const index = known.get(section);
      if (index !== undefined) remove(index, entry);
      return section.entries.delete(key);
    },
    has: (section, way, name) => indexOf(section).has(`${way} ${name}`),
    with: (section, way, name) => [...(indexOf(section).get(`${way} ${name}`)?.values() ?? [])],
    below(section, start) {
      const words = start.split(" ");
      const places = belowOf(section).get(words.slice(0, words.length > 2 ? 2 : 1).join(" "));
      const found: Found[] = [];
      for (const [place, keys] of places ?? []) {
        for (const key of keys) {
          const entry = place.entries.get(key);
          // What was dropped since is forgotten here.
          if (entry === undefined) keys.delete(key);
          else if (bare(entry.lines[0] ?? "").startsWith(start)) found.push({ section: place, entry });
        }
        if (keys.size === 0) places?.delete(place);
      }
      return found;
    },
  };
}
