/** What a configuration would be after some lines: foretold from the rules of the system, line by line. */
import { createEntryIndex, wordOf, wordsOf } from "./entry-index.ts";
import { applyMenus } from "./menu-remedy.ts";
import { hasMenus } from "./menus.ts";
import { createModels, type Entry, frame, keyOf, type Section, withValues } from "./model.ts";
import { createOrder, type Order, reorder } from "./moves.ts";
import type { Effect, Foretold, Prediction, Refusal } from "./outcome.ts";
import { applyPaths, hasPaths } from "./paths.ts";
import { anyOf, type LineRule, type TreeRules } from "./rules.ts";
import { entryLengths, noteTest } from "./tree.ts";
import { valuesOf } from "./values.ts";

export type { Effect, Prediction, Refusal } from "./outcome.ts";

/** A section, and the entry that opens it; none for the whole. */
interface Open {
  readonly section: Section;
  readonly entry: Entry | undefined;
  readonly indent: number;
  /** Lines in it were indented deeper: one that is not stands outside. */
  isIndented: boolean;
}

/** A configuration that takes lines one after the other. */
export interface Application {
  /** A place in it from which lines are taken: each writer has one. */
  cursor(): LineCursor;
  /** All that it means. */
  readonly top: Section;
}

export type TakenLine = Omit<Foretold, "line">;

export interface TakeOptions {
  /** The next line is indented deeper. */
  readonly opensMore: boolean;
  /** In how many of the open sections it stands. Default: as its indentation says. */
  readonly depth?: number;
  /** A line that the system refuses changes nothing. Default: it is taken all the same. */
  readonly isStrict?: true;
}

export interface LineCursor {
  /**
   * @param block a line, with the others of its text
   * @returns undefined for a line that says nothing
   */
  take(block: readonly string[], options: TakeOptions): TakenLine | undefined;
  /** First lines of the sections that it stands in, outermost first. */
  path(): readonly string[];
}

/** Takes time linear in the length of both texts. */
export function apply(text: string, lines: readonly string[], rules: TreeRules): Prediction {
  if (hasMenus(rules)) return applyMenus(text, lines, rules);
  return hasPaths(rules) ? applyPaths(text, lines, rules) : applySections(text, lines, rules);
}

function applySections(text: string, lines: readonly string[], rules: TreeRules): Prediction {
  const models = createModels(rules);
  const application = takeInto(models.modelOf(text), models, rules);
  const { take } = application.cursor();
  const blockLength = entryLengths(lines, { blocks: rules.blocks, texts: rules.texts });
  const foretold: Foretold[] = [];
  for (let at = 0; at < lines.length; ) {
    const given = lines[at] ?? "";
    const count = blockLength(at, given);
    const indent = given.length - given.trimStart().length;
    const opensMore = isDeeper(lines[at + count], indent);
    const told = take(lines.slice(at, at + count), { opensMore });
    if (told !== undefined) foretold.push({ line: at + 1, ...told });
    at += count;
  }
  const left = modelLines(models.shown(application.top));
  return { text: left.map((line) => `${line}\n`).join(""), lines: foretold };
}

/** Lines change the model in place. */
export function takeInto(
  top: Section,
  models: ReturnType<typeof createModels>,
  rules: TreeRules,
): Application {
  const hasBlocks = rules.shape === "blocks";
  const isSection = sectionTest(top, rules);
  const isOfKind = kindTest(rules);
  const start = (): Open[] => [{ section: top, entry: undefined, indent: -1, isIndented: false }];
  /** Of the cursor whose line is taken. */
  let open = start();
  const listWords = new Set(
    rules.lines?.flatMap(({ values }) =>
      values === undefined ? [] : [values.add, values.remove].map((template) => wordOf(template)),
    ),
  );
  const index = createEntryIndex(bare);
  /** Of sections whose entries were moved; they are put into it when the whole is shown. */
  const orders = new Map<Section, Order>();
  const owned = ownedLines(rules);
  const isNote = noteTest(rules.comment);
  const pathOf = (all: readonly Open[]) => all.flatMap(({ entry }) => entry?.lines[0] ?? []);

  function take(
    given: readonly string[],
    { opensMore, depth, isStrict }: TakeOptions,
  ): TakenLine | undefined {
    const [first = "", ...rest] = given;
    const line = first.trim();
    if (isNote(line)) return undefined;
    if (hasBlocks && (line === "next" || line === "end")) {
      const path = pathOf(open);
      const isEdit = () => open.at(-1)?.section.header.startsWith("edit ") === true;
      if (isEdit()) open.pop();
      if (line === "end" && open.length > 1) open.pop();
      return { effect: "leaves", path };
    }
    if (frame.test(line)) {
      const path = pathOf(open);
      if (line === "end" || line === "return" || line === "root") open.length = 1;
      else if (open.length > 1) open.pop();
      return { effect: "leaves", path };
    }
    const block = [rewritten(line), ...rest];
    const indent = depth ?? first.length - first.trimStart().length;
    if (depth !== undefined) open.length = Math.min(open.length, depth + 1);
    while (depth === undefined && !hasBlocks && open.length > 1 && !standsIn(open.at(-1), line, indent))
      open.pop();
    // A section of one kind stands in none of its own kind: it ends that.
    while (depth === undefined && open.length > 1 && isOfKind(line, open.at(-1)?.section.header ?? ""))
      open.pop();
    const around = open.at(-1);
    if (around !== undefined && around.indent >= 0 && indent > around.indent) around.isIndented = true;
    const refusal = refusalOf(block);
    // A line that opens a section stands in the one around it.
    const path = pathOf(open);
    if (refusal !== undefined && isStrict === true) return { effect: "nothing", path, refusal };
    const effect = change(block, indent, opensMore);
    return { effect, path, ...(refusal && { refusal }) };
  }

  function refusalOf(block: readonly string[]): Refusal | undefined {
    const [line = ""] = block;
    const here = placeOf(line);
    const words = bare(line);
    const entry = models.entryOf(here, [words, ...block.slice(1)]);
    const isOwned = (start: string) => open.some(({ section }) => index.has(section, "takes", start));
    for (const { starts, within } of owned) {
      if (within?.test(here.header) === false) continue;
      const start = starts.exec(words)?.[0];
      if (start === undefined || entry?.takes.includes(start) === true || isOwned(start)) continue;
      return { why: "missing", of: start.trim() };
    }
    if (entry === undefined) return undefined;
    if (words !== line)
      return entry.rule?.refusesAbsent === true && foundBy(here, line).length === 0
        ? { why: "absent", of: words }
        : undefined;
    const missing = entry.needs.find((need) => open.every(({ section }) => !section.entries.has(need)));
    if (missing !== undefined) return { why: "missing", of: missing };
    if (here.entries.has(entry.key)) return undefined;
    const second = entry.single === undefined ? undefined : here.singles.get(entry.single);
    return second !== undefined && entry.rule?.refusesSecond === true
      ? { why: "second", of: second }
      : undefined;
  }

  /** A line as the system keeps it. */
  function rewritten(line: string): string {
    if (!rewritable.test(line)) return line;
    const here = open.at(-1)?.section ?? top;
    if (models.entryOf(here, [bare(line)])?.rule?.rewrites !== true) return line;
    return line
      .replaceAll(
        prefix,
        (given, address: string, length: string) => networkOf(address, Number(length)) ?? given,
      )
      .replaceAll(/(?<=^| )0+(?=\d+(?: |$))/g, "");
  }

  /** The section that a line is about: the open one, or one in it. */
  function placeOf(line: string): Section {
    const here = open.at(-1)?.section ?? top;
    const owner = models.entryOf(here, [bare(line)])?.rule?.belongsTo;
    if (owner === undefined || wordOf(owner) === wordOf(here.header)) return here;
    const known = here.entries.get(keyOf([owner]))?.section;
    const entry = known === undefined ? models.entryOf(here, [owner]) : undefined;
    if (entry === undefined) return known ?? here;
    const section = models.emptySection(owner);
    set(here, { ...entry, section });
    return section;
  }

  /** The list has it already, under another number. */
  function isDouble(here: Section, { distinct, single }: Entry): boolean {
    return (
      distinct !== undefined && index.with(here, "distinct", distinct).some((one) => one.single !== single)
    );
  }

  /** A line without indentation may stand in a section that has none either. */
  function standsIn(here: Open | undefined, line: string, indent: number): boolean {
    if (here === undefined || indent > here.indent) return true;
    if (indent > 0 || here.indent > 0 || here.isIndented || isSection(line, "")) return false;
    const key = keyOf([bare(line)]);
    if (top.entries.has(key) && !here.section.entries.has(key)) return false;
    const word = wordOf(bare(line));
    return index.has(here.section, "word", word) || !index.has(top, "word", word);
  }

  function bare(line: string): string {
    return rules.negate !== undefined && line.startsWith(`${rules.negate} `)
      ? line.slice(rules.negate.length + 1)
      : line;
  }

  function change(block: readonly string[], indent: number, opensMore: boolean): Effect {
    const [line = ""] = block;
    const here = placeOf(line);
    const isNegation = bare(line) !== line || (hasBlocks && line.startsWith("delete "));
    const isGone = isNegation && removed(here, line);
    // No line of such a text says that something is not so.
    if (isNegation && hasBlocks) return isGone ? "removes" : "unclear";
    if (hasBlocks && line.startsWith("move ")) return moved(here, line) ? "replaces" : "unclear";
    // A line can add to a list, and open the section of what it adds.
    const listed = changesValues(here, line);
    const isListed = listed !== undefined;
    if (isGone) return "removes";
    if (isNegation && isListed) return listed;
    if (isNegation && hasValue(here, line)) return "nothing";
    const isOpening = opens(line, here.header) || (opensMore && !isSetting(here, block));
    if (isListed && !isOpening) return listed;
    const given = models.entryOf(here, block);
    if (isOpening && given?.list !== undefined && !isListed) set(here, given);
    const entry = isOpening && given?.list !== undefined ? models.sectionOf(here, block) : given;
    // What is so without a line takes the line that says otherwise away.
    if (entry === undefined) return dropOpposite(here, line) ? "removes" : "nothing";
    const known = here.entries.get(entry.key);
    const other = entry.single === undefined ? undefined : here.singles.get(entry.single);
    const isReplaced = other !== undefined && other !== entry.key;
    if (entry.rule?.takesWhenSet === true && known === undefined) dropTaken(here, entry.takes);
    if (isOpening) {
      // A section that gets another first line keeps what stands in it.
      const kept = isReplaced ? here.entries.get(other)?.section : undefined;
      const own = known?.section ?? kept ?? models.emptySection(line);
      if (isReplaced) dropKey(here, other);
      set(here, { ...(known ?? entry), section: own });
      open.push({ section: own, entry, indent, isIndented: false });
      return known === undefined ? "adds" : "enters";
    }
    if (known !== undefined && (entry.list === undefined || known.lines[0] === entry.lines[0]))
      return "nothing";
    const keepsOther = entry.rule?.keepsMore === true && other?.startsWith(`${entry.key} `) === true;
    if (keepsOther || isDouble(here, entry)) return "nothing";
    // What is shown as negated is so without a line otherwise.
    if (dropOpposite(here, line)) return "removes";
    if (isReplaced) dropKey(here, other);
    set(here, entry);
    if (known !== undefined || isReplaced) return "replaces";
    return isNegation ? "unclear" : "adds";
  }

  /** A line that the rules know as another setting opens nothing, although the next one is indented deeper. */
  function isSetting(here: Section, block: readonly string[]): boolean {
    const rule = rules.sections === undefined ? undefined : models.entryOf(here, block)?.rule;
    return rule !== undefined && rule.values === undefined;
  }

  function opens(line: string, above: string): boolean {
    return hasBlocks ? /^(?:config|edit) /.test(line) : isSection(line, above);
  }

  /** Puts an entry beside another one, as the line says. */
  function moved(here: Section, line: string): boolean {
    const [, name = "", where = "", other = ""] = /^move (\S+|".*?") (after|before) (.+)$/.exec(line) ?? [];
    const [entry] = index.with(here, "place", name);
    const [beside] = index.with(here, "place", other);
    if (entry === undefined || beside === undefined || entry === beside) return false;
    const order = orders.get(here) ?? createOrder(here.entries.keys());
    orders.set(here, order);
    return order.move(entry.key, where === "before" ? "before" : "after", beside.key);
  }

  function set(here: Section, entry: Entry): void {
    index.put(here, entry);
    orders.get(here)?.push(entry.key);
    if (entry.single !== undefined) here.singles.set(entry.single, entry.key);
  }

  function dropOpposite(here: Section, line: string): boolean {
    if (rules.negate === undefined) return false;
    const entry = here.entries.get(keyOf([`${rules.negate} ${line}`]));
    if (entry !== undefined) drop(here, entry);
    return entry !== undefined;
  }

  /** @returns whether something was there */
  function removed(here: Section, line: string): boolean {
    const found = foundBy(here, line);
    for (const entry of found) drop(here, entry);
    return found.length > 0;
  }

  function foundBy(here: Section, line: string): readonly Entry[] {
    const words = keyOf([rules.shape === "set" ? `set ${bare(line)}` : bare(line)]);
    const exact = here.entries.get(words);
    if (exact !== undefined) return [exact];
    const { single, rule } = models.entryOf(here, [bare(line)]) ?? {};
    const other =
      rule?.removesAny === true ? here.entries.get(here.singles.get(single ?? "") ?? "") : undefined;
    if (other !== undefined) return [other];
    // What is a setting in this form removes nothing else.
    return models.entryOf(here, [line])?.rule === undefined ? meantBy(here, line, words) : [];
  }

  /** A line that removes a value turns nothing off where there is none. */
  function hasValue(here: Section, line: string): boolean {
    if (models.entryOf(here, [line])?.rule !== undefined) return false;
    if (models.entryOf(here, [bare(line)])?.rule !== undefined) return true;
    const valued = models.entryOf(here, [`${bare(line)} 0`]);
    return valued?.rule !== undefined && valued.removal === line;
  }

  /** What is removed by a line of its own form; else all that begins so. */
  function meantBy(here: Section, line: string, words: string): Entry[] {
    const list = index.with(here, "whole", line)[0]?.sequence;
    if (list !== undefined) return index.with(here, "sequence", list.of);
    const own = index.with(here, "removal", line).filter(({ list: all }) => all?.rule.isCumulative !== true);
    if (own.length > 0) return own;
    return index.with(here, "start", wordOf(words)).filter(({ key }) => key.startsWith(`${words} `));
  }

  function dropKey(here: Section, key: string): void {
    index.drop(here, key);
    orders.get(here)?.drop(key);
  }

  function drop(here: Section, entry: Entry): void {
    dropKey(here, entry.key);
    if (entry.single !== undefined && here.singles.get(entry.single) === entry.key)
      here.singles.delete(entry.single);
    if (entry.takes.length > 0) dropTaken(here, entry.takes);
  }

  function dropTaken(here: Section, starts: readonly string[]): void {
    for (const { section, entry } of starts.flatMap((start) => index.below(here, start))) {
      dropKey(section, entry.key);
      if (entry.single !== undefined) section.singles.delete(entry.single);
    }
  }

  /** Adds or removes values of a list that stands here. */
  function changesValues(here: Section, line: string): "replaces" | "nothing" | undefined {
    if (!listWords.has(wordOf(line))) return undefined;
    const named = [wordOf(line), wordsOf(line)].flatMap((words) => index.with(here, "values", words));
    for (const entry of new Set(named)) {
      const { list } = entry;
      if (list === undefined || line === entry.lines[0]) continue;
      const [more, less] = [valuesIn(line, list.added), valuesIn(line, list.removed)];
      // Of two forms that begin alike, the longer one.
      const isLess = less !== undefined && (more === undefined || less.length < more.length);
      const changed = isLess ? less : more;
      const isRange = list.rule.form === "range" || list.rule.form === "to";
      if (changed === undefined || (isRange && !/^(?:[\d,\s-]|to)+$/.test(changed))) continue;
      const values = valuesOf(changed, list.rule);
      const left = isLess
        ? [...list.values()].filter((value) => !values.includes(value))
        : [...list.values(), ...values];
      if (new Set(left).size === new Set(list.values()).size) return "nothing";
      if (left.length === 0 && list.rule.isCumulative === true) dropKey(here, entry.key);
      else index.put(here, withValues(entry, left));
      return "replaces";
    }
    return undefined;
  }

  return {
    get top() {
      for (const [{ entries }, order] of orders) reorder(entries, order);
      orders.clear();
      return top;
    },
    cursor() {
      const own = start();
      return {
        take(block, options) {
          open = own;
          return take(block, options);
        },
        path: () => pathOf(own),
      };
    },
  };
}

/** Forms of the beginnings of lines that belong to another one, which `takes` them. */
function ownedLines({ lines = [] }: TreeRules) {
  const forms = new Map<string, { readonly starts: RegExp; readonly within: LineRule["within"] }>();
  for (const { takes = [], within, isNeeded } of lines)
    for (const template of isNeeded === true ? takes : []) {
      const source = template
        .split(/\{[^}]*\}/)
        .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
        .join("\\S+");
      forms.set(source, { starts: new RegExp(`^${source}`), within });
    }
  return [...forms.values()];
}

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
  return (line: string, above: string) => named(line) || words.has(`${wordOf(above)}\n${wordOf(line)}`);
}

/** Whether two lines open sections of one kind, by the rules of the system. */
function kindTest({ sections = [] }: TreeRules) {
  return (line: string, other: string): boolean =>
    wordOf(line) === wordOf(other) && sections.some((form) => form.test(line) && form.test(other));
}

const rewritable = /\/| 0\d/;
const prefix = /(?<=^| )(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})(?= |$)/g;

/** Undefined: it is none. */
function networkOf(address: string, length: number): string | undefined {
  const octets = address.split(".").map(Number);
  if (length > 32 || octets.some((octet) => octet > 255)) return undefined;
  const kept = octets.map((octet, at) => octet & (0xff00 >> Math.min(8, Math.max(0, length - 8 * at))));
  return `${kept.map((octet) => octet & 0xff).join(".")}/${length}`;
}

function isDeeper(line: string | undefined, indent: number): boolean {
  return line !== undefined && line.trim() !== "" && line.length - line.trimStart().length > indent;
}

/** The values in a line of that form; undefined for another one. */
function valuesIn(line: string, form: (values: string) => string): string | undefined {
  const [before = "", after = ""] = form("\0").split("\0");
  return line.startsWith(before) && line.endsWith(after) && line.length > before.length + after.length
    ? line.slice(before.length, line.length - after.length)
    : undefined;
}

/** A configuration written from what it means. */
export function modelLines({ entries }: Section, depth = 0): string[] {
  return [...entries.values()].flatMap(({ lines: [first = "", ...rest], section, leaving }) => [
    " ".repeat(depth) + first,
    ...rest,
    ...(section === undefined ? [] : modelLines(section, depth + 1)),
    ...(section === undefined || !/^(?:next$|end$|(?:exit|end)-)/.test(leaving)
      ? []
      : [" ".repeat(depth) + leaving]),
  ]);
}
