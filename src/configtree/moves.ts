/** Names in an order: moved one by one, and the fewest moves that put them into another order. */

export interface Move {
  readonly name: string;
  /** Its new neighbour. */
  readonly other: string;
  readonly where: "before" | "after";
}

/** Both have the same names, each once. Moves are done one after the other. */
export function movesBetween(current: readonly string[], wanted: readonly string[]): Move[] {
  const places = new Map(current.map((name, at) => [name, at]));
  const kept = longestRising(wanted.map((name) => places.get(name) ?? -1));
  return wanted.flatMap((name, at): readonly Move[] => {
    if (kept.has(at)) return [];
    const [before, behind] = [wanted[at - 1], wanted[at + 1]];
    if (before !== undefined) return [{ name, other: before, where: "after" }];
    // Before the first of those that stay, and so before all that come to stand behind that one.
    const first = wanted.find((_, other) => kept.has(other)) ?? behind;
    return first === undefined ? [] : [{ name, other: first, where: "before" }];
  });
}

/** Positions of a longest rising sequence. */
export function longestRising(values: readonly number[]): ReadonlySet<number> {
  /** By length, the position of the smallest value that ends a sequence. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) found.add(at);
  return found;
}

/** Names in an order that changes often: each change takes the same time, however many there are. */
export interface Order {
  has(name: string): boolean;
  /** Behind all others, unless it is there. */
  push(name: string): void;
  drop(name: string): void;
  /** @returns whether both are there */
  move(name: string, where: Move["where"], other: string): boolean;
  names(): string[];
}

export function createOrder(given: Iterable<string>): Order {
  /** Those beside a name; the empty one stands before the first and behind the last. */
  const next = new Map<string, string>([["", ""]]);
  const before = new Map<string, string>([["", ""]]);
  const has = (name: string) => name !== "" && next.has(name);

  function link(one: string, other: string): void {
    next.set(one, other);
    before.set(other, one);
  }
  function insert(name: string, behind: string): void {
    const other = next.get(behind) ?? "";
    link(behind, name);
    link(name, other);
  }
  function drop(name: string): void {
    if (!has(name)) return;
    link(before.get(name) ?? "", next.get(name) ?? "");
    next.delete(name);
    before.delete(name);
  }
  function push(name: string): void {
    if (name !== "" && !next.has(name)) insert(name, before.get("") ?? "");
  }
  for (const name of given) push(name);

  return {
    has,
    push,
    drop,
    move(name, where, other) {
      if (!has(name) || !has(other)) return false;
      if (name === other) return true;
      drop(name);
      insert(name, where === "after" ? other : (before.get(other) ?? ""));
      return true;
    },
    names() {
      const all: string[] = [];
      for (let name = next.get("") ?? ""; name !== ""; name = next.get(name) ?? "") all.push(name);
      return all;
    },
  };
}

/** Puts the entries of a map into an order. */
export function reorder<T>(map: Map<string, T>, { names }: Pick<Order, "names">): void {
  const all = new Map(map);
  map.clear();
  for (const name of names()) {
    const value = all.get(name);
    if (value !== undefined) map.set(name, value);
  }
  for (const [name, value] of all) if (!map.has(name)) map.set(name, value);
}
