/** The entries of sections by what lines ask of them, kept with each change, so that no line looks at all of them. */
import type { Entry, Section } from "./model.ts";

/**
 * `word`: the first word, without that of negation; `start`: the first word of the key; `removal`: the line that removes
 * it; `whole`: the one that removes its list; `sequence`: the name of its list; `values`: it has a list of values.
 */
type Way = "word" | "start" | "removal" | "whole" | "sequence" | "values";

export const wordOf = (line: string) => line.split(" ", 1)[0] ?? "";

export interface EntryIndex {
  put(section: Section, entry: Entry): void;
  /** @returns whether it was there */
  drop(section: Section, key: string): boolean;
  has(section: Section, way: Way, name: string): boolean;
  with(section: Section, way: Way, name: string): Entry[];
}

/** @param bare a line without the word of negation */
export function createEntryIndex(bare: (line: string) => string): EntryIndex {
  const known = new WeakMap<Section, Map<string, Map<string, Entry>>>();

  function namesOf({ key, lines: [first = ""], removal, sequence, list }: Entry): string[] {
    return [
      `word ${wordOf(bare(first))}`,
      `start ${wordOf(key)}`,
      ...(removal === null ? [] : [`removal ${removal}`]),
      ...(sequence === undefined ? [] : [`sequence ${sequence.of}`]),
      ...(sequence?.whole === undefined ? [] : [`whole ${sequence.whole}`]),
      ...(list === undefined ? [] : ["values "]),
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

  return {
    put(section, entry) {
      const index = known.get(section);
      const before = section.entries.get(entry.key);
      section.entries.set(entry.key, entry);
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
  };
}
