/** What a configuration would be after some lines: foretold from the rules of the system, line by line. */
import { endingOf } from "../base/text/text-blocks.ts";
import { createModels, type Entry, type Section, withValues } from "./model.ts";
import { anyOf, type TreeRules } from "./rules.ts";
import { valuesOf } from "./values.ts";

/**
 * `adds`, `removes`, `replaces` (a setting gets another value), `enters` and `leaves` a section; `nothing`: it is so
 * already, or what it removes is not there.
 */
export const effects = ["adds", "removes", "replaces", "enters", "leaves", "nothing"] as const;
export type Effect = (typeof effects)[number];

export interface Foretold {
  /** Number of the line, from 1; of a text the first of them. */
  readonly line: number;
  readonly effect: Effect;
  /** First lines of the sections that it stands in, outermost first. */
  readonly path: readonly string[];
}

export interface Prediction {
  /** Written anew, in the order of the old text with what is new behind it. */
  readonly text: string;
  readonly lines: readonly Foretold[];
}

/** A section, and the entry that opens it; none for the whole. */
interface Open {
  readonly section: Section;
  readonly entry: Entry | undefined;
  readonly indent: number;
}

/** Takes time linear in the length of both texts. */
export function apply(text: string, lines: readonly string[], rules: TreeRules): Prediction {
  const models = createModels(rules);
  const top = models.modelOf(text);
  const isSection = sectionTest(top, rules);
  const open: Open[] = [{ section: top, entry: undefined, indent: -1 }];
  const listWords = new Set(
    rules.lines?.flatMap(({ values }) =>
      values === undefined ? [] : [values.add, values.remove].map((template) => wordOf(template)),
    ),
  );
  const foretold: Foretold[] = [];
  const notes = rules.comment === undefined ? ["!", "#"] : [rules.comment];
  for (let at = 0; at < lines.length; ) {
    const given = lines[at] ?? "";
    const line = given.trim();
    const number = at + 1;
    const count = blockLength(lines, at, rules);
    const block = [line, ...lines.slice(at + 1, at + count)];
    at += count;
    if (line === "" || notes.some((note) => line.startsWith(note))) continue;
    const path = () => open.flatMap(({ entry }) => entry?.lines[0] ?? []);
    const told = (effect: Effect) => foretold.push({ line: number, effect, path: path() });
    if (leaves.test(line)) {
      told("leaves");
      if (line === "end" || line === "return") open.length = 1;
      else if (open.length > 1) open.pop();
      continue;
    }
    const indent = given.length - given.trimStart().length;
    while (open.length > 1 && indent <= (open.at(-1)?.indent ?? 0) && !standsIn(open, line)) open.pop();
    told(change(block, indent, isDeeper(lines[at], indent)));
  }

  function standsIn(sections: readonly Open[], line: string): boolean {
    const here = sections.at(-1);
    // Lines without indentation: those that open a section of the top leave the one before.
    return here !== undefined && !isSection(line, "") && here.indent === 0;
  }

  function change(block: readonly string[], indent: number, opensMore: boolean): Effect {
    const [line = ""] = block;
    const here = open.at(-1)?.section ?? top;
    const { negate } = rules;
    if (negate !== undefined && line.startsWith(`${negate} `)) {
      const effect = removal(here, line, line.slice(negate.length + 1));
      if (effect !== undefined) return effect;
    }
    if (changesValues(here, line)) return "replaces";
    const entry = models.entryOf(here, block);
    // What is so without a line takes the line that says otherwise away.
    if (entry === undefined) return dropOpposite(here, line) ? "removes" : "nothing";
    const opens = opensMore || isSection(line, here.header);
    const known = here.entries.get(entry.key);
    if (opens) {
      const own = known?.section ?? models.emptySection(line);
      here.entries.set(entry.key, { ...(known ?? entry), section: own });
      const other = entry.single === undefined ? undefined : here.singles.get(entry.single);
      if (entry.single !== undefined) here.singles.set(entry.single, entry.key);
      if (other !== undefined && other !== entry.key) here.entries.delete(other);
      open.push({ section: own, entry: { ...entry, section: own }, indent });
      return known === undefined ? "adds" : "enters";
    }
    if (known !== undefined && (entry.list === undefined || known.lines[0] === entry.lines[0]))
      return "nothing";
    const other = entry.single === undefined ? undefined : here.singles.get(entry.single);
    // What is shown as negated is so without a line otherwise.
    if (dropOpposite(here, line)) return "removes";
    if (other !== undefined && other !== entry.key) here.entries.delete(other);
    here.entries.set(entry.key, entry);
    if (entry.single !== undefined) here.singles.set(entry.single, entry.key);
    return known !== undefined || (other !== undefined && other !== entry.key) ? "replaces" : "adds";
  }

  function dropOpposite(here: Section, line: string): boolean {
    return rules.negate !== undefined && here.entries.delete(`${rules.negate} ${line}`);
  }

  /** @returns undefined: nothing has to go, so the line may be a setting itself */
  function removal(here: Section, line: string, words: string): Effect | undefined {
    const exact = here.entries.get(words);
    const found =
      exact ??
      [...here.entries.values()].find(
        ({ removal: own, list, sequence, lines: [first = ""] }) =>
          own === line || list?.none === line || sequence?.whole === line || first.startsWith(`${words} `),
      );
    if (found === undefined) return here.entries.has(line) ? "nothing" : undefined;
    if (found.sequence?.whole === line && found.sequence !== undefined) {
      const { of } = found.sequence;
      for (const [key, { sequence }] of here.entries) if (sequence?.of === of) here.entries.delete(key);
      return "removes";
    }
    drop(here, found);
    return "removes";
  }

  function drop(here: Section, entry: Entry): void {
    here.entries.delete(entry.key);
    if (entry.single !== undefined && here.singles.get(entry.single) === entry.key)
      here.singles.delete(entry.single);
    if (entry.takes.length > 0) dropTaken(here, entry.takes);
  }

  function dropTaken({ entries, singles }: Section, starts: readonly string[]): void {
    for (const [
      key,
      {
        lines: [first = ""],
        section,
        single,
      },
    ] of entries) {
      if (section !== undefined) dropTaken(section, starts);
      const words =
        rules.negate !== undefined && first.startsWith(`${rules.negate} `)
          ? first.slice(rules.negate.length + 1)
          : first;
      if (!starts.some((start) => words.startsWith(start))) continue;
      entries.delete(key);
      if (single !== undefined) singles.delete(single);
    }
  }

  /** Adds or removes values of a list that stands here. */
  function changesValues(here: Section, line: string): boolean {
    if (!listWords.has(wordOf(line))) return false;
    for (const entry of here.entries.values()) {
      const { list } = entry;
      if (list === undefined || line === entry.lines[0]) continue;
      const [more, less] = [valuesIn(line, list.added), valuesIn(line, list.removed)];
      // Of two forms that begin alike, the longer one.
      const isLess = less !== undefined && (more === undefined || less.length < more.length);
      const changed = isLess ? less : more;
      if (changed === undefined || !/^[\d,\s-]+$/.test(changed) === (list.rule.form === "range")) continue;
      const values = valuesOf(changed, list.rule);
      const left = isLess
        ? [...list.values()].filter((value) => !values.includes(value))
        : [...list.values(), ...values];
      here.entries.set(entry.key, withValues(entry, left));
      return true;
    }
    return false;
  }

  return {
    text: textOf(models.shown(top), 0)
      .map((line) => `${line}\n`)
      .join(""),
    lines: foretold,
  };
}

const leaves = /^(?:end|exit|quit|return|exit-[\w-]+)$/;

/** Sections are those that the text has, and those that the rules name. */
function sectionTest(top: Section, rules: TreeRules) {
  const named = anyOf(rules.sections);
  const words = new Set<string>();
  const note = ({ entries }: Section, above: string): void => {
    for (const {
      lines: [first = ""],
      section,
    } of entries.values()) {
      if (section === undefined) continue;
      words.add(`${wordOf(above)}\n${wordOf(first)}`);
      note(section, first);
    }
  };
  note(top, "");
  return (line: string, above: string) =>
    named(line) || (rules.sections === undefined && words.has(`${wordOf(above)}\n${wordOf(line)}`));
}

function isDeeper(line: string | undefined, indent: number): boolean {
  return line !== undefined && line.trim() !== "" && line.length - line.trimStart().length > indent;
}

const wordOf = (line: string) => line.split(" ", 1)[0] ?? "";

/** The values in a line of that form; undefined for another one. */
function valuesIn(line: string, form: (values: readonly string[]) => string): string | undefined {
  const [before = "", after = ""] = form(["\0"]).split("\0");
  return line.startsWith(before) && line.endsWith(after) && line.length > before.length + after.length
    ? line.slice(before.length, line.length - after.length)
    : undefined;
}

function blockLength(lines: readonly string[], at: number, { blocks }: TreeRules): number {
  const ending = endingOf(lines[at] ?? "", blocks);
  if (ending === undefined) return 1;
  const end = lines.findIndex((line, place) => place > at && ending.test(line));
  return end < 0 ? 1 : end - at + 1;
}

function textOf({ entries }: Section, depth: number): string[] {
  return [...entries.values()].flatMap(({ lines: [first = "", ...rest], section, leaving }) => [
    " ".repeat(depth) + first,
    ...rest,
    ...(section === undefined ? [] : textOf(section, depth + 1)),
    ...(section === undefined || !/^(?:exit|end)-/.test(leaving) ? [] : [" ".repeat(depth) + leaving]),
  ]);
}
