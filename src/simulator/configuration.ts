/** The configuration of a simulated device: lines below the line that opened their mode. */

export interface Configuration {
  /** @param path the lines that opened the modes in which it was given */
  add(path: readonly string[], line: string): void;
  /** As a device shows it: what stands below a line is indented. */
  lines(): string[];
}

interface Node {
  line: string;
  readonly below: Node[];
}

/** @param renames a line of this kind replaces the earlier one */
export function createConfiguration(first: readonly string[], renames: RegExp | undefined): Configuration {
  const top: Node[] = first.map((line) => ({ line, below: [] }));

  function openedBy(path: readonly string[]): Node[] {
    let nodes = top;
    for (const line of path) nodes = placed(nodes, line).below;
    return nodes;
  }

  function placed(nodes: Node[], line: string): Node {
    const existing = nodes.find(
      (node) => node.line === line || (renames?.test(line) && renames.test(node.line)),
    );
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
    lines: () => shown(top, ""),
  };
}

function shown(nodes: readonly Node[], indent: string): string[] {
  return nodes.flatMap(({ line, below }) => [`${indent}${line}`, ...shown(below, `${indent} `)]);
}
