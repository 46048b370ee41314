/** A changed configuration, written as its text was: what is the same stays as it stands, with its comments. */
import { wordOf } from "./entry-index.ts";
import { shownLine } from "./lines.ts";
import { createModels, type Entry, type Section, withValues } from "./model.ts";
import { anyOf, type TreeRules } from "./rules.ts";
import { type ConfigNode, noteTest, parseTree } from "./tree.ts";

/** Lines that belong together; those without an entry are of the text, not of the configuration. */
interface Piece {
  readonly entry: Entry | undefined;
  readonly lines: readonly string[];
}

/** A section while it is written. */
interface Written {
  readonly old: Section;
  readonly now: Section;
  /** Keys of what is written. */
  readonly placed: Set<string>;
  readonly indent: string;
}

/**
 * New lines stand behind those that begin with the same word, else at the end of their section. Takes time linear in the
 * length of the text.
 */
export function createRewriter(text: string, rules: TreeRules) {
  const models = createModels(rules);
  const nodes = parseTree(text, rules);
  const before = models.modelOf(text);
  const isNote = noteTest(rules.comment);
  const vanishes = anyOf(rules.vanishing);
  const unit = unitOf(nodes);
  const isVisible = ({ section, list, lines: [first = ""] }: Entry): boolean =>
    list !== undefined || !vanishes(first) || (section !== undefined && hasVisible(section));
  const hasVisible = ({ entries }: Section): boolean => [...entries.values()].some(isVisible);

  /** @param old what stood in the section; undefined: it is new */
  function written(
    all: readonly ConfigNode[],
    old: Section,
    now: Section,
    indent: string,
    isLast: boolean,
  ): string[] {
    const pieces: Piece[] = [];
    const placed = new Set<string>();
    for (const node of models.flat(all)) {
      const entry = node.isNote ? null : entryAt(node, now);
      const piece = entry === null ? kept(node, now) : changed(node, entry, old, now, placed);
      if (piece !== undefined) pieces.push(piece);
    }
    const ordered = inOrder(isLast ? withUnshown(pieces, { old, now, placed, indent }) : pieces, old, now);
    /** What a line of a list shows needs no empty section of its own. */
    const isListed = ({ section, lines: own }: Entry) =>
      section?.entries.size === 0 && placed.has(listOf(now, own) ?? "");
    const fresh = isLast
      ? [...now.entries.values()].filter(
          (entry) =>
            !placed.has(entry.key) && !old.entries.has(entry.key) && isVisible(entry) && !isListed(entry),
        )
      : [];
    return (fresh.length === 0 ? ordered : withFresh(ordered, fresh, now, indent)).flatMap(
      ({ lines }) => lines,
    );
  }

  /** Values whose sections have vanished are still in their list. */
  function withUnshown(pieces: readonly Piece[], { old, now, placed, indent }: Written): Piece[] {
    const all = [...pieces];
    const lists = [...now.entries.values()].filter(({ list }) => list?.rule.opensSection === true);
    for (const entry of lists) {
      const valuesIn = (line: string): Iterable<string> => {
        const of = models.entryOf(now, [shownLine(line).trim()]);
        return of?.key === entry.key ? (of.list?.values() ?? []) : [];
      };
      const at = all.findIndex((piece) => piece.entry?.key === entry.key);
      // A list that is new is written with the others.
      if (at < 0 && !old.entries.has(entry.key)) continue;
      const own = new Set(valuesIn(all[at]?.lines[0] ?? ""));
      const shown = new Set(own);
      for (const { section, lines } of now.entries.values())
        if (section !== undefined && hasVisible(section))
          for (const value of valuesIn(lines[0] ?? "")) shown.add(value);
      const lacking = [...(entry.list?.values() ?? [])].filter((value) => !shown.has(value));
      if (lacking.length === 0) continue;
      const lines = entryLines(withValues(entry, [...own, ...lacking]), indent);
      placed.add(entry.key);
      if (at < 0) all.push({ entry, lines });
      else all[at] = { entry, lines: [...lines, ...(all[at]?.lines.slice(1) ?? [])] };
    }
    return all;
  }

  /** The key of the list that the line is of. */
  function listOf(section: Section, lines: readonly string[]): string | undefined {
    const entry = models.entryOf(section, lines);
    return entry?.list === undefined ? undefined : entry.key;
  }

  /** The section of one value of a list, if it has one. */
  function entryAt({ lines, children }: ConfigNode, now: Section): Entry | null {
    const entry = models.read(now, lines);
    const saysMore = children.some((child) => !child.isNote);
    return entry?.list?.rule.opensSection === true && saysMore
      ? models.sectionOf(
          now,
          lines.map((line) => shownLine(line).trim()),
        )
      : entry;
  }

  const whole = (node: ConfigNode): string[] => [
    ...node.lines,
    ...node.children.flatMap(whole),
    ...node.closing,
  ];

  /** A comment, a line of the text itself, or one that says what is so anyway: unless that is not so any more. */
  function kept(node: ConfigNode, now: Section): Piece | undefined {
    const line = shownLine(node.lines[0] ?? "").trim();
    const opposite = rules.negate === undefined ? "" : line.slice(rules.negate.length + 1);
    const isUntrue = !node.isNote && line === `${rules.negate} ${opposite}` && now.entries.has(opposite);
    return { entry: undefined, lines: isUntrue ? notesIn(node) : whole(node) };
  }

  function changed(
    node: ConfigNode,
    entry: Entry,
    old: Section,
    now: Section,
    placed: Set<string>,
  ): Piece | undefined {
    const known = old.entries.get(entry.key);
    const same = now.entries.get(entry.key);
    // One that vanished is shown as it was.
    if (known === undefined && same === undefined) return { entry: undefined, lines: whole(node) };
    const other =
      entry.single === undefined ? undefined : now.entries.get(now.singles.get(entry.single) ?? "");
    const standing = same ?? (other !== undefined && !old.entries.has(other.key) ? other : undefined);
    if (standing === undefined || !isVisible(standing))
      return known?.section === undefined ? { entry: undefined, lines: notesIn(node) } : undefined;
    const isSecond = placed.has(standing.key);
    placed.add(standing.key);
    const indent = indentOf(node);
    const isEqual = known !== undefined && same?.lines.join("\n") === known.lines.join("\n");
    if (!isEqual && isSecond) return undefined;
    const own = isEqual ? node.lines : entryLines(standing, indent);
    const { section } = standing;
    // One that stands there twice has its place by the first.
    const placedBy = isSecond ? undefined : standing;
    if (section === undefined) return { entry: placedBy, lines: [...own, ...notesIn(node)] };
    const below = written(
      node.children,
      known?.section ?? models.emptySection(""),
      section,
      childIndent(node) ?? indent + unit,
      !isSecond,
    );
    return { entry: placedBy, lines: [...own, ...below, ...closingOf(node, standing, indent)] };
  }

  function closingOf(node: ConfigNode, entry: Entry, indent: string): readonly string[] {
    return node.closing.length > 0 || node.children.length > 0 ? node.closing : leavingLines(entry, indent);
  }

  /** A section whose lines are gone keeps the comments behind it. */
  const notesIn = (node: ConfigNode): string[] => [
    ...node.children.flatMap((child) => (child.isNote ? child.lines : notesIn(child))),
    ...node.closing.filter((line) => isNote(line)),
  ];

  function entryLines({ lines: [first = "", ...rest] }: Entry, indent: string): string[] {
    return [indent + first, ...rest];
  }

  function leavingLines({ leaving }: Entry, indent: string): string[] {
    return /^(?:next$|end$|(?:exit|end)-)/.test(leaving) ? [indent + leaving] : [];
  }

  function newLines(entry: Entry, indent: string): string[] {
    const { section } = entry;
    if (section === undefined) return entryLines(entry, indent);
    const below = [...section.entries.values()].filter(isVisible);
    return [
      ...entryLines(entry, indent),
      ...below.flatMap((one) => newLines(one, indent + unit)),
      ...leavingLines(entry, indent),
    ];
  }

  /** Pieces that stay keep their places, unless their order has changed. */
  function inOrder(pieces: readonly Piece[], old: Section, { entries }: Section): Piece[] {
    const both = [...entries.keys()].filter((key) => old.entries.has(key));
    const places = new Map(both.map((key, at) => [key, at]));
    const placeOf = ({ entry }: Piece) => (entry === undefined ? undefined : places.get(entry.key));
    const moved = pieces.filter((piece) => placeOf(piece) !== undefined);
    const isSorted = moved.every(
      (piece, at) => at === 0 || (placeOf(moved[at - 1] ?? piece) ?? 0) <= (placeOf(piece) ?? 0),
    );
    if (isSorted) return [...pieces];
    const sorted = moved.toSorted((a, b) => (placeOf(a) ?? 0) - (placeOf(b) ?? 0)).values();
    return pieces.map((piece) => (placeOf(piece) === undefined ? piece : (sorted.next().value ?? piece)));
  }

  function withFresh(
    pieces: readonly Piece[],
    fresh: readonly Entry[],
    { entries }: Section,
    indent: string,
  ): Piece[] {
    const lastOf = new Map<string, number>();
    const pieceOf = new Map<string, number>();
    for (const [at, { entry }] of pieces.entries()) {
      if (entry === undefined) continue;
      lastOf.set(wordOf(entry.lines[0] ?? ""), at);
      pieceOf.set(entry.key, at);
    }
    /** Of one whose place counts. */
    const before = new Map<string, number>();
    let last = -1;
    for (const key of entries.keys()) {
      before.set(key, last);
      last = pieceOf.get(key) ?? last;
    }
    /** Before what stands behind all of it, such as the line that ends the text. */
    const end = pieces.findLastIndex(({ entry }) => entry !== undefined);
    const behind = Map.groupBy(fresh, ({ key, place, lines: [first = ""] }) =>
      place === undefined ? (lastOf.get(wordOf(first)) ?? end) : (before.get(key) ?? end),
    );
    const added = (at: number): Piece[] =>
      (behind.get(at) ?? []).map((entry) => ({ entry, lines: newLines(entry, indent) }));
    return [
      ...added(-1),
      ...pieces.flatMap((piece, at) => {
        const more = added(at);
        return more.length === 0 ? [piece] : joined(piece, more);
      }),
    ];
  }

  /** The comments that close a section close the new one too; those behind a single line stay behind all. */
  function joined(piece: Piece, more: readonly Piece[]): Piece[] {
    const last = piece.lines.findLastIndex((line) => !isNote(line));
    const notes = piece.lines.slice(last + 1);
    const own = { ...piece, lines: piece.lines.slice(0, last + 1) };
    const closes = notes.slice(0, 1).filter((line) => line.trim() !== "");
    const apart = more.flatMap((one) => {
      const isSection = one.entry?.section !== undefined && piece.entry?.section !== undefined;
      return isSection ? [{ entry: undefined, lines: closes }, one] : [one];
    });
    return [own, ...apart, { entry: undefined, lines: notes }];
  }

  /** @param now the model of the text, changed */
  return (now: Section): string => {
    const lines = written(nodes, before, now, "", true).map((line) => shownLine(line));
    return lines.map((line) => `${line}\n`).join("");
  };
}

const indentOf = ({ lines: [first = ""] }: ConfigNode) =>
  first.slice(0, first.length - first.trimStart().length);

const childIndent = ({ children }: ConfigNode) => {
  const child = children.find(({ isNote }) => !isNote);
  return child && indentOf(child);
};

/** By how much the lines of a section are indented. */
function unitOf(nodes: readonly ConfigNode[]): string {
  for (const node of nodes) {
    const own = childIndent(node);
    if (own !== undefined && own.length > indentOf(node).length) return own.slice(indentOf(node).length);
  }
  return " ";
}
