/** What is known of a line and of its place: from the rules of the system, and from the lines that stand in the text. */
import { sectionOf, shapeOf } from "../configlines/shape.ts";
import { anyOf, longestLine, type Pattern, ruleFinder, type TreeRules } from "../configtree/rules.ts";
import { type ConfigNode, parseTree } from "../configtree/tree.ts";

/** A line that opens a section; `within`: only in one whose first line matches. */
export interface TwinMode {
  readonly line: Pattern;
  readonly within?: Pattern | undefined;
}

export interface Knowledge {
  /** Such a line is known in that section. */
  isKnown(line: string, path: readonly string[]): boolean;
  /** The same, and not only as a line that may stand anywhere. */
  isKnownThere(line: string, path: readonly string[]): boolean;
  /** It opens a section wherever it stands. */
  opens(line: string): boolean;
  /** It is a list of several values, which opens no section of its own. */
  isList(line: string, path: readonly string[]): boolean;
  /** Lines of that section begin with its first word. */
  hasWord(line: string, path: readonly string[]): boolean;
  /** How many of the open sections stay open for a line that opens one; undefined: it opens none that is known. */
  depthOf(line: string, path: readonly string[]): number | undefined;
  /** The section in which such lines are known, in keywords; undefined: in none. */
  placeOf(line: string): string | undefined;
}

export function createKnowledge(text: string, rules: TreeRules, modes: readonly TwinMode[]): Knowledge {
  const find = ruleFinder(rules.lines);
  const opens = anyOf(rules.sections);
  const bare = (line: string) =>
    rules.negate !== undefined && line.startsWith(`${rules.negate} `)
      ? line.slice(rules.negate.length + 1)
      : line;
  let learned: ReturnType<typeof learn> | undefined;
  const known = () => {
    learned ??= learn(text, rules, bare);
    return learned;
  };
  const headerOf = (path: readonly string[]) => path.at(-1) ?? "";
  const stands = (line: string, path: readonly string[]) => {
    const { shapes } = known();
    const section = sectionOf(path);
    return [line, bare(line)].some((one) => shapes.has(`${section}\n${shapeOf(one).shape}`));
  };

  return {
    isKnown: (line, path) =>
      find(line, headerOf(path)) !== undefined ||
      find(bare(line), headerOf(path)) !== undefined ||
      opens(bare(line)) ||
      stands(line, path),
    isKnownThere: (line, path) =>
      [line, bare(line)].some((one) => find(one, headerOf(path))?.rule.within !== undefined) ||
      stands(line, path),
    opens: (line) => opens(bare(line)),
    isList: (line, path) =>
      find(line, headerOf(path))?.rule.values !== undefined && /\d\s*[,-]\s*\d| to \d/.test(line),
    hasWord: (line, path) => known().words.has(`${sectionOf(path)}\n${wordOf(bare(line))}`),
    depthOf(line, path) {
      const words = bare(line);
      for (const mode of modes) {
        if (words.length > longestLine || !mode.line.test(words)) continue;
        const { within } = mode;
        if (within === undefined) return 0;
        const around = path.findLastIndex((header) => within.test(header));
        if (around >= 0) return around + 1;
      }
      return undefined;
    },
    placeOf(line) {
      const { shapes, sections } = known();
      const all = [line, bare(line)].map((one) => shapeOf(one).shape);
      return sections.find((section) => all.some((shape) => shapes.has(`${section}\n${shape}`)));
    },
  };
}

const wordOf = (line: string) => line.trim().split(" ", 1)[0] ?? "";

/** Kinds of sections that are looked through for a line that is known in none around it. */
const mostSections = 200;

/** @param bare a line without the word of negation */
function learn(text: string, rules: TreeRules, bare: (line: string) => string) {
  const shapes = new Set<string>();
  const words = new Set<string>();
  const sections = new Set<string>();
  const shapeOfLine = remembered((line: string) => shapeOf(line).shape);
  const look = (nodes: readonly ConfigNode[], path: readonly string[], section: string): void => {
    if (sections.size < mostSections) sections.add(section);
    for (const { isNote, lines: own, children } of nodes) {
      if (isNote) continue;
      const line = (own[0] ?? "").trim();
      for (const one of new Set([line, bare(line)])) shapes.add(`${section}\n${shapeOfLine(one)}`);
      words.add(`${section}\n${wordOf(line)}`);
      if (children.length === 0) continue;
      const below = [...path, line];
      look(children, below, sectionOf(below));
    }
  };
  look(parseTree(text, rules), [], "");
  return { shapes, words, sections: [...sections] };
}

function remembered<T>(make: (line: string) => T): (line: string) => T {
  const known = new Map<string, T>();
  return (line) => {
    const found = known.get(line);
    if (found !== undefined) return found;
    const made = make(line);
    known.set(line, made);
    return made;
  };
}
