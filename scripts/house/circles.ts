/** Rejects import cycles between files (including type imports) and between rooms. */
import { rooms } from "./rules.ts";
import { byName, type SourceFile } from "./source.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

export function circleFaults(sources: readonly SourceFile[]): string[] {
  const files = circles(
    new Map(sources.map(({ path, files, names }) => [path, [...files, ...names.map(fileNamed)]])),
  );
  const ofRooms = circles(
    new Map(Object.entries(rooms).map(([name, { mayImport }]) => [name, mayImport.map(firstPart)])),
  );
  return [
    ...files.map((circle) => `${circle[0]}: import cycle: ${circle.join(", ")}`),
    ...ofRooms.map((circle) => `scripts/house/rules.ts: the rooms ${circle.join(", ")} form an import cycle`),
  ];
}

const fileNamed = (name: string) => byName[name] ?? name;
const firstPart = (place: string) => place.replace("patchbay/", "").split("/")[0] ?? place;

/** Strongly connected components (Tarjan). */
export function circles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const found: string[][] = [];

  function visit(node: string): number {
    const index = order.size;
    let low = index;
    order.set(node, index);
    path.push(node);
    onPath.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (onPath.has(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low);
      lowest.set(node, low);
    }
    lowest.set(node, low);
    if (low === index) {
      const group = path.splice(path.indexOf(node));
      for (const member of group) onPath.delete(member);
      if (group.length > 1 || graph.get(node)?.includes(node)) found.push(group);
    }
    return low;
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}
