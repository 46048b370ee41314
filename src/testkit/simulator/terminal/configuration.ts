/** The configuration of a simulated device: a tree of lines under the lines that opened their modes. */

export interface Configuration {
  /** @param path the lines that opened the modes of the line */
  add(path: readonly string[], line: string): void;
  /** The lines as a device shows them, children indented. */
  lines(): string[];
  /** Replaces the whole configuration; takes the format of `lines`. */
  replace(lines: readonly string[]): void;
}

interface Node {
  line: string;
  readonly below: Node[];
}

/**
 * @param first initial configuration, children indented
 * @param renames a line that matches replaces the earlier one, wherever that is
 * @param replaces a line replaces the one of its mode with the same match
 */
export function createConfiguration(
  first: readonly string[],
  renames: RegExp | undefined,
  replaces?: RegExp,
): Configuration {
  const unit = first.find((line) => line.startsWith(" "))?.match(/^ +/)?.[0] ?? " ";
  const top = nodesOf(first, unit.length);

  function openedBy(path: readonly string[]): Node[] {
    let nodes = top;
    for (const line of path) nodes = placed(nodes, line).below;
    return nodes;
  }

  function placed(nodes: Node[], line: string): Node {
    const matched = replaces?.exec(line)?.[0];
    const existing =
      nodes.find((node) => node.line === line) ??
      nodes.find((node) => matched !== undefined && replaces?.exec(node.line)?.[0] === matched) ??
      (renames?.test(line) ? find(top, (node) => renames.test(node.line)) : undefined);
    if (existing) {
      existing.line = line;
      return existing;
    }
    const node = { line, below: [] };
    nodes.push(node);
    return node;
  }

  return {
    add(path, line) {
      const nodes = openedBy(path);
      const removed = /^(?:no|undo|delete|unset)\s+(.+)$/.exec(line)?.[1];
      if (removed === undefined) {
        placed(nodes, line);
        return;
      }
      const at = nodes.findIndex(({ line }) => line === removed || line.startsWith(`${removed} `));
      if (at >= 0) nodes.splice(at, 1);
    },
    lines: () => shown(top, "", unit),
    replace: (lines) => void top.splice(0, top.length, ...nodesOf(lines, unit.length)),
  };
}

/** The parent of a line is the last line before it with less indentation. */
function nodesOf(lines: readonly string[], unit: number): Node[] {
  const top: Node[] = [];
  const open: Node[][] = [top];
  for (const text of lines) {
    const line = text.trimStart();
    const depth = Math.min(Math.floor((text.length - line.length) / unit), open.length - 1);
    const node = { line, below: [] };
    open[depth]?.push(node);
    open.splice(depth + 1, open.length, node.below);
  }
  return top;
}

function find(nodes: readonly Node[], fits: (node: Node) => boolean): Node | undefined {
  for (const node of nodes) {
    const found = fits(node) ? node : find(node.below, fits);
    if (found) return found;
  }
  return undefined;
}

function shown(nodes: readonly Node[], indent: string, unit: string): string[] {
  return nodes.flatMap(({ line, below }) => [`${indent}${line}`, ...shown(below, `${indent}${unit}`, unit)]);
}
