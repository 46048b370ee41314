/**
 * Computes the lines that turn one configuration into another, for systems with indented blocks and a negating word.
 */

interface Entry {
  /** The parent lines of the entry. */
  readonly path: readonly string[];
  readonly line: string;
  /** The entry opens a context. */
  readonly opens: boolean;
}

type Tree = ReadonlyMap<string, Entry>;

/** Lines that only close a context, or are empty or comments. */
const filler = /^(?:!.*|exit(?:-[\w-]+)?|end|quit)?$/;

const keyOf = (path: readonly string[], line: string) => [...path, line].join("\n");

export function parseConfiguration(text: string): Tree {
  const tree = new Map<string, Entry>();
  const open: { indent: number; line: string }[] = [];
  const lines = text.split(/\r?\n/);
  for (const [at, whole] of lines.entries()) {
    const line = whole.trim();
    if (filler.test(line)) continue;
    const indent = indentOf(whole);
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const path = open.map((section) => section.line);
    tree.set(keyOf(path, line), { path, line, opens: opensAt(lines, at) });
    open.push({ indent, line });
  }
  return tree;
}

/** A line opens a context if indented lines follow, or an `exit` at its own depth. */
function opensAt(lines: readonly string[], at: number): boolean {
  let behind = at + 1;
  while (/^\s*(?:!.*)?$/.test(lines[behind] ?? "x")) behind++;
  const next = lines[behind];
  if (next === undefined) return false;
  const indent = indentOf(lines[at] ?? "");
  return indentOf(next) > indent || (indentOf(next) === indent && /^\s*exit(?:-[\w-]+)?\s*$/.test(next));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Entries of the first tree that the second one lacks, in the order of the first. */
export function missingEntries(from: Tree, other: Tree): readonly Entry[] {
  return [...from].flatMap(([key, entry]) => (other.has(key) ? [] : [entry]));
}

/** The state to restore: the configuration before the push, with changes that others made since kept. */
export function targetOf(before: Tree, after: Tree, now: Tree): Tree {
  const target = new Map([...before].filter(([key]) => now.has(key) || !after.has(key)));
  for (const [key, entry] of now) if (!after.has(key)) target.set(key, entry);
  return target;
}

/** Lines that restore entries, one list per outermost context. */
export function linesToAdd(entries: readonly Entry[]): string[][] {
  return pushesOf(entries.map((entry) => ({ ...entry, text: entry.line })));
}

/**
 * Lines that remove entries, last entry first. Removing a context removes its contents.
 * @param tries attempts per entry: the device may want a shorter line, or keeps a context whose lines can be removed
 */
export function linesToRemove(
  entries: readonly Entry[],
  negate: string,
  tries: Map<string, number>,
): string[][] {
  const goes = new Set<string>();
  const chosen = entries.flatMap(({ path, line, opens }) => {
    if (path.some((_, depth) => goes.has(path.slice(0, depth + 1).join("\n")))) return [];
    const key = keyOf(path, line);
    const tried = tries.get(key) ?? 0;
    tries.set(key, tried + 1);
    if (tried === 0) goes.add(key);
    return [{ path, line, opens: false, text: negated(line, negate, opens ? 0 : tried) }];
  });
  return pushesOf(chosen.reverse());
}

/** `no a b c`, then `no a b`, then `no a`; for a negated line, the line without the negation. */
function negated(line: string, negate: string, tried: number): string {
  if (line.startsWith(`${negate} `)) return line.slice(negate.length + 1);
  const words = line.split(/\s+/);
  const kept =
    tried === 0 ? words : tried === 1 ? words.slice(0, Math.max(1, words.length - 1)) : words.slice(0, 1);
  return `${negate} ${kept.join(" ")}`;
}

function pushesOf(entries: readonly (Entry & { readonly text: string })[]): string[][] {
  const pushes: string[][] = [];
  let at: readonly string[] = [];
  let outer: string | undefined;
  for (const { path, line, opens, text } of entries) {
    const [first = line] = path;
    if (outer !== first || pushes.length === 0) {
      pushes.push([]);
      at = [];
      outer = first;
    }
    const push = pushes.at(-1) ?? [];
    let common = 0;
    while (common < path.length && path[common] === at[common]) common++;
    push.push(...at.slice(common).map(() => "exit"), ...path.slice(common), text);
    at = opens ? [...path, line] : path;
  }
  return pushes;
}
