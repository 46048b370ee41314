/** Lines that turn one configuration into another, for a person to read before they are pushed. */

import { matchesAny, type TextRules } from "./rules.ts";
import { type ConfigNode, parseTree, writeTree } from "./tree.ts";

export interface RestoringRules extends TextRules {
  /** `Running.negate` of the platform. */
  readonly negate: string;
}

/** What to look at before the lines are pushed. */
export const restoreDoubts = ["ordered", "certificates", "sections"] as const;
/**
 * `ordered`: lines whose order counts are added or removed, and added ones stand behind those that stay. `certificates`:
 * they differ, and no line restores them. `sections`: whole sections are removed.
 */
export type RestoreDoubt = (typeof restoreDoubts)[number];

export interface RestoringLines {
  readonly lines: readonly string[];
  readonly doubts: readonly RestoreDoubt[];
}

/** Of the text itself, not of the configuration. */
const frame = /^(?:end|exit|quit|return)$/;
/** Text in hexadecimal that ends with `quit`: the device made it, and takes it back in a dialogue only. */
const certificates = /^crypto (?:pki|ca) certificate /;

/**
 * What is no longer wanted is removed first, the last line first and what depends on a line before it; then what is missing
 * is added, in the order of the wanted text. Takes linear time.
 */
export function restoringLines(from: string, to: string, rules: RestoringRules): RestoringLines {
  const { negate, negated = [], replaced = [] } = rules;
  const isIgnored = matchesAny(rules.ignore);
  const isOrdered = matchesAny(rules.ordered);
  const isPermanent = matchesAny(rules.permanent);
  const doubts = new Set<RestoreDoubt>();
  const removing = createWriter();
  const adding = createWriter();

  const counts = ({ isNote, lines: [first = ""] }: ConfigNode) =>
    !isNote && !frame.test(first.trim()) && isIgnored?.(first) !== true;

  const known = new Map<readonly ConfigNode[], Map<string, ConfigNode>>();
  /** Each is made once, as it joins nodes. */
  function entriesOf(nodes: readonly ConfigNode[]): Map<string, ConfigNode> {
    const made = known.get(nodes);
    if (made !== undefined) return made;
    const entries = new Map<string, ConfigNode>();
    known.set(nodes, entries);
    for (const node of nodes) {
      const key = node.lines.map((line) => line.trim()).join("\n");
      const first = entries.get(key);
      // A section that stands twice is one for the device.
      if (first !== undefined) for (const child of node.children) first.children.push(child);
      else if (counts(node)) entries.set(key, node);
    }
    return entries;
  }

  function remove(
    old: readonly ConfigNode[],
    wanted: readonly ConfigNode[],
    path: readonly ConfigNode[],
    inOrder: boolean,
  ): void {
    const [before, after] = [entriesOf(old), entriesOf(wanted)];
    const begun = new Set([...after.keys()].map(beginning));
    const taken = new Set([...after.keys()].flatMap(placesOf));
    for (const [key, node] of [...before].reverse()) {
      const known = after.get(key);
      const { lines, children } = node;
      const [first = ""] = lines;
      const isBelow = inOrder || isOrdered?.(first) === true;
      if (isCertificate(node)) {
        if (known === undefined || writeTree([known]) !== writeTree([node])) doubts.add("certificates");
      } else if (known !== undefined || isPermanent?.(first.trim()) === true)
        remove(children, known?.children ?? [], [...path, node], isBelow);
      else {
        if (isBelow) doubts.add("ordered");
        if (children.length > 0) doubts.add("sections");
        // A text replaces the one before it, as some lines do.
        const isReplaced =
          lines.length === 1
            ? placesOf(first.trim()).some((place) => taken.has(place))
            : begun.has(beginning(key));
        if (!isReplaced) removing.write(path, [removal(node)]);
      }
    }
  }

  function add(
    old: readonly ConfigNode[],
    wanted: readonly ConfigNode[],
    path: readonly ConfigNode[],
    inOrder: boolean,
  ): void {
    const [before, after] = [entriesOf(old), entriesOf(wanted)];
    for (const [key, node] of after) {
      const known = before.get(key);
      const isBelow = inOrder || isOrdered?.(node.lines[0] ?? "") === true;
      if (isCertificate(node)) {
        if (known === undefined) doubts.add("certificates");
      } else if (known !== undefined) add(known.children, node.children, [...path, node], isBelow);
      else {
        if (isBelow) doubts.add("ordered");
        addWhole(node, path);
      }
    }
  }

  function addWhole(node: ConfigNode, path: readonly ConfigNode[]): void {
    adding.write(path, node.lines);
    const children = node.children.filter(counts);
    if (children.length > 0) adding.enter(node);
    for (const child of children) addWhole(child, [...path, node]);
  }

  const placesOf = (line: string) => replaced.flatMap((pattern) => pattern.exec(line)?.[0] ?? []);

  function removal({ lines: [first = "", ...rest] }: ConfigNode): string {
    const line = first.trim();
    if (rules.shape === "set") return line.replace(/^set\b/, () => negate);
    if (line.startsWith(`${negate} `)) return line.slice(negate.length + 1);
    const own = negated.map((pattern) => pattern.exec(line)?.[0]).find((words) => words !== undefined);
    return `${negate} ${own ?? (rest.length === 0 ? line : beginning(line))}`;
  }

  const [old, wanted] = [parseTree(from, rules), parseTree(to, rules)];
  remove(old, wanted, [], false);
  add(old, wanted, [], false);
  return { lines: [...removing.lines(), ...adding.lines()], doubts: [...doubts] };
}

const isCertificate = ({ lines: [first = ""] }: ConfigNode) => certificates.test(first);

/** Lines in the sections that they belong to, which are entered and left as needed. */
function createWriter() {
  const lines: string[] = [];
  const open: ConfigNode[] = [];
  function leaveTo(depth: number): void {
    while (open.length > depth) {
      const node = open.pop();
      if (node !== undefined) lines.push(indented(closingOf(node), open.length));
    }
  }
  return {
    /** Only the first of a text is indented. */
    write(path: readonly ConfigNode[], [first = "", ...rest]: readonly string[]): void {
      let same = 0;
      while (same < open.length && open[same] === path[same]) same++;
      leaveTo(same);
      for (const node of path.slice(same)) {
        lines.push(indented(node.lines[0] ?? "", open.length));
        open.push(node);
      }
      lines.push(indented(first, path.length), ...rest);
    },
    /** The last line that was written is this section. */
    enter: (node: ConfigNode): void => void open.push(node),
    lines(): readonly string[] {
      leaveTo(0);
      return lines;
    },
  };
}

const indented = (line: string, depth: number) => " ".repeat(depth) + line.trim();

/** Some systems have a word of their own per section. */
function closingOf({ closing }: ConfigNode): string {
  return closing.map((line) => line.trim()).find((line) => /^(?:exit|end)-/.test(line)) ?? "exit";
}

/** `banner motd` of a banner: what names it. */
function beginning(key: string): string {
  return key.split("\n", 1)[0]?.trim().split(/\s+/, 2).join(" ") ?? "";
}
