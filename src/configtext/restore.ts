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
 * What is no longer wanted is removed first, the last line first; then what is missing is added, in the order of the
 * wanted text. Takes linear time.
 */
export function restoringLines(from: string, to: string, rules: RestoringRules): RestoringLines {
  const { negate } = rules;
  const isIgnored = matchesAny(rules.ignore);
  const isOrdered = matchesAny(rules.ordered);
  const doubts = new Set<RestoreDoubt>();
  const removing: string[] = [];
  const adding: string[] = [];

  const counts = ({ isNote, lines: [first = ""] }: ConfigNode) =>
    !isNote && !frame.test(first.trim()) && isIgnored?.(first) !== true;

  function entriesOf(nodes: readonly ConfigNode[]): Map<string, ConfigNode> {
    const entries = new Map<string, ConfigNode>();
    for (const node of nodes) {
      const key = node.lines.map((line) => line.trim()).join("\n");
      const known = entries.get(key);
      // A section that stands twice is one for the device.
      if (known !== undefined) known.children.push(...node.children);
      else if (counts(node)) entries.set(key, node);
    }
    return entries;
  }

  /** @returns whether lines below were written */
  function compare(
    old: readonly ConfigNode[],
    wanted: readonly ConfigNode[],
    path: readonly ConfigNode[],
    inOrder: boolean,
  ): void {
    const [before, after] = [entriesOf(old), entriesOf(wanted)];
    const begun = new Set([...after.keys()].map(beginning));
    const note = (node: ConfigNode) => {
      if (inOrder || isOrdered?.(node.lines[0] ?? "") === true) doubts.add("ordered");
      if (node.children.length > 0) doubts.add("sections");
    };
    const gone = [...before].filter(([key]) => !after.has(key)).reverse();
    within(removing, path, () => {
      for (const [key, node] of gone) {
        if (isCertificate(node)) continue;
        note(node);
        // A text replaces the one before it.
        if (node.lines.length === 1 || !begun.has(beginning(key)))
          removing.push(indented(removal(node), path.length));
      }
      return gone.length > 0;
    });
    for (const [key, node] of after) {
      const known = before.get(key);
      if (known === undefined) continue;
      if (certificates.test(node.lines[0] ?? "")) {
        if (writeTree([known]) !== writeTree([node])) doubts.add("certificates");
        continue;
      }
      const isBelow = inOrder || isOrdered?.(node.lines[0] ?? "") === true;
      compare(known.children, node.children, [...path, node], isBelow);
    }
    const missing = [...after].filter(([key]) => !before.has(key));
    within(adding, path, () => {
      for (const [, node] of missing) {
        if (isCertificate(node)) continue;
        if (inOrder || isOrdered?.(node.lines[0] ?? "") === true) doubts.add("ordered");
        add(node, path.length);
      }
      return missing.length > 0;
    });
  }

  function isCertificate(node: ConfigNode): boolean {
    const is = certificates.test(node.lines[0] ?? "");
    if (is) doubts.add("certificates");
    return is;
  }

  function removal({ lines: [first = "", ...rest] }: ConfigNode): string {
    const line = first.trim();
    if (rules.shape === "set") return line.replace(/^set\b/, () => negate);
    const own = rest.length === 0 ? line : beginning(line);
    return line.startsWith(`${negate} `) ? line.slice(negate.length + 1) : `${negate} ${own}`;
  }

  function add(node: ConfigNode, depth: number): void {
    const [first = "", ...rest] = node.lines;
    adding.push(indented(first, depth), ...rest);
    const children = node.children.filter(counts);
    for (const child of children) add(child, depth + 1);
    if (children.length > 0) adding.push(indented(closingOf(node), depth));
  }

  compare(parseTree(from, rules), parseTree(to, rules), [], false);
  return { lines: [...removing, ...adding], doubts: [...doubts] };
}

/** Lines in the sections that they belong to; nothing if there are none. */
function within(lines: string[], path: readonly ConfigNode[], write: () => boolean): void {
  const begin = lines.length;
  lines.push(...path.map((node, depth) => indented(node.lines[0] ?? "", depth)));
  const isWritten = write();
  if (!isWritten || lines.length === begin + path.length) lines.length = begin;
  else
    for (const [depth, node] of [...path.entries()].reverse()) lines.push(indented(closingOf(node), depth));
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
