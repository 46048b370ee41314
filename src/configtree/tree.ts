/** A configuration as a tree of its lines, by the shape that its platform declares; written again it is the same text. */
import { banners, type Ending, endingOf } from "../base/text/text-blocks.ts";
import { linesOf, shownLine, textOfLines } from "./lines.ts";
import { goesOn, readCommand, wholeCommand } from "./menu-text.ts";
import type { TreeRules } from "./rules.ts";

export interface ConfigNode {
  /** Its line; several for a text that belongs to one, such as a banner. Exactly as in the text. */
  readonly lines: readonly string[];
  /** Number of its first line, from 1. */
  readonly line: number;
  /** A blank line or a comment: it has no children and says nothing to the device. */
  readonly isNote: boolean;
  readonly children: ConfigNode[];
  /** What closes it (`}`, `exit`, `next`), with the notes behind that. */
  readonly closing: string[];
}

/** What of the rules says how lines belong together. */
export type TreeShape = Pick<TreeRules, "shape" | "comment" | "divider" | "blocks" | "texts">;

/** Deeper blocks have their lines side by side. */
export const maxTreeDepth = 100;
/** A text block that is longer is none: the sign that should end it is part of something else. */
const maxBlockLines = 500;

/** Takes time linear in the length of the text. @returns the nodes at the top */
export function parseTree(text: string, rules: TreeShape = {}): ConfigNode[] {
  const lines = linesOf(text);
  const top: ConfigNode[] = [];
  const place = places[rules.shape ?? "indent"](top, rules.divider);
  const isNote = noteTest(rules.comment);
  const lengthAt = entryLengths(lines, rules);
  for (let at = 0; at < lines.length; ) {
    const shown = shownLine(lines[at] ?? "");
    const note = isNote(shown);
    const length = note ? 1 : lengthAt(at, shown);
    const node = {
      lines: lines.slice(at, at + length),
      line: at + 1,
      isNote: note,
      children: [],
      closing: [],
    };
    place(node, shown);
    at += length;
  }
  return top;
}

/** The text of which the tree was made. */
export function writeTree(nodes: readonly ConfigNode[]): string {
  const lines: string[] = [];
  const write = (node: ConfigNode) => {
    for (const line of node.lines) lines.push(line);
    node.children.forEach(write);
    for (const line of node.closing) lines.push(line);
  };
  nodes.forEach(write);
  return textOfLines(lines);
}

/** Whether a line says nothing to the device: blank, or a comment. */
export function noteTest(comment: string | undefined): (line: string) => boolean {
  const signs = comment === undefined ? ["!", "#"] : [comment];
  return (line) => {
    const words = line.trimStart();
    return words === "" || signs.some((sign) => words.startsWith(sign));
  };
}

/** How many lines the entry has that begins with a line. */
export function entryLengths(lines: readonly string[], { shape, blocks = banners, texts = [] }: TreeShape) {
  /** Up to which line the end was looked for in vain. */
  const searched = new Map<string, number>();
  const lengthUpTo = (at: number, { named, test }: Ending, most = maxBlockLines): number => {
    const last = Math.min(lines.length, at + 1 + most);
    for (let end = Math.max(at + 1, searched.get(named) ?? 0); end < last; end++)
      if (test(shownLine(lines[end] ?? ""))) return end - at + 1;
    searched.set(named, last);
    return 1;
  };
  return (at: number, line: string): number => {
    const text = texts.length === 0 ? undefined : endingOf(line, texts);
    if (text !== undefined) return lengthUpTo(at, text, lines.length);
    const ending = endingOf(line, blocks);
    if (ending !== undefined) return lengthUpTo(at, ending);
    if (shape === "menus") {
      let end = at;
      while (end + 1 < lines.length && goesOn(shownLine(lines[end] ?? ""))) end++;
      return end - at + 1;
    }
    // A quoted text goes on to the line that ends it.
    if (shape === "blocks" && hasOpenQuote(line))
      return lengthUpTo(at, { named: "quote", test: hasOpenQuote });
    return 1;
  };
}

function hasOpenQuote(line: string): boolean {
  let open = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === "\\") at++;
    else if (char === '"') open = !open;
  }
  return open;
}

/** Puts a node where it belongs; called for all nodes in order. */
type Place = (node: ConfigNode, line: string) => void;

const places: Readonly<
  Record<NonNullable<TreeShape["shape"]>, (top: ConfigNode[], divider: string | undefined) => Place>
> = {
  indent: byIndent,
  braces: (top) => byWords(top, braceWords),
  blocks: (top) => byWords(top, blockWords),
  menus: byMenus,
  set: flat,
  none: flat,
};

/** The word that a line opens until, or that it closes. */
interface BlockWords {
  readonly opens?: string | undefined;
  readonly closes?: string | undefined;
}

function braceWords(line: string): BlockWords {
  const comment = line.indexOf("##");
  const words = (comment < 0 ? line : line.slice(0, comment)).trim();
  const [opens, closes] = [words.endsWith("{"), words.startsWith("}")];
  if (opens === closes) return {};
  return opens ? { opens: "}" } : { closes: "}" };
}

const blockEnds: ReadonlyMap<string | undefined, string> = new Map([
  ["config", "end"],
  ["edit", "next"],
]);

function blockWords(line: string): BlockWords {
  const words = line.trim();
  if (words === "end" || words === "next") return { closes: words };
  return { opens: blockEnds.get(/^(config|edit)\s/.exec(words)?.[1]) };
}

function flat(top: ConfigNode[]): Place {
  return (node) => void top.push(node);
}

const closers = /^(?:exit|quit|(?:exit|end)-[\w-]+)$/;

/** A line belongs to the nearest line above that is indented less, but to none above a divider. */
function byIndent(top: ConfigNode[], divider: string | undefined): Place {
  const open: { readonly node: ConfigNode; readonly indent: number }[] = [];
  let last: ConfigNode | undefined;
  let isClosed = false;
  return (node, line) => {
    if (node.isNote) {
      if (line === divider) {
        open.length = 0;
        last = undefined;
      }
      // It stands behind all that came before, and may be followed by more lines of the same block.
      if (last === undefined) top.push(node);
      else if (isClosed) last.closing.push(...node.lines);
      else last.children.push(node);
      return;
    }
    const indent = line.length - line.trimStart().length;
    const closes = closers.test(line.trim());
    while (open.length > 0 && indent < (open.at(-1)?.indent ?? 0)) open.pop();
    const level = open.at(-1);
    if (level?.indent === indent) open.pop();
    if (closes && level?.indent === indent) {
      level.node.closing.push(...node.lines);
      [last, isClosed] = [level.node, true];
      return;
    }
    (open.at(-1)?.node.children ?? top).push(node);
    if (open.length < maxTreeDepth) open.push({ node, indent });
    [last, isClosed] = [node, false];
  };
}

/** A line belongs to the block that was opened last; an end closes what was opened until it, and all inside of that. */
function byWords(top: ConfigNode[], wordsOf: (line: string) => BlockWords): Place {
  const open: { readonly node: ConfigNode; readonly until: string }[] = [];
  /** Opened too deep, so that their ends close nothing. */
  let tooDeep = 0;
  return (node, line) => {
    const { opens, closes } = node.isNote ? {} : wordsOf(line);
    const level = closes === undefined ? -1 : open.findLastIndex(({ until }) => until === closes);
    const closed = tooDeep > 0 ? undefined : open[level];
    if (closed !== undefined) {
      open.length = level;
      closed.node.closing.push(...node.lines);
      return;
    }
    if (closes !== undefined && tooDeep > 0) tooDeep--;
    (open.at(-1)?.node.children ?? top).push(node);
    if (opens === undefined) return;
    if (open.length < maxTreeDepth) open.push({ node, until: opens });
    else tooDeep++;
  };
}

/** A line that only names a menu opens it, until the next one that names its menu from the root. */
function byMenus(top: ConfigNode[]): Place {
  let open: ConfigNode | undefined;
  return (node, line) => {
    const isRoot = line.startsWith("/");
    if (isRoot) open = undefined;
    (open?.children ?? top).push(node);
    if (isRoot && readCommand(wholeCommand(node.lines.map(shownLine)), "/")?.verb === "") open = node;
  };
}
