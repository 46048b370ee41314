/** A binary heap (priority queue). */

export interface Heap<T> {
  add(item: T): void;
  /** The first item, without removing it. */
  first(): T | undefined;
  takeFirst(): T | undefined;
  readonly size: number;
}

export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];

  /** Sift up: places an item at the free slot `from` or above it. */
  function rise(item: T, from: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !before(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  function sink(item: T): void {
    let at = 0;
    for (;;) {
      const leftAt = 2 * at + 1;
      const [leftItem, rightItem] = [items[leftAt], items[leftAt + 1]];
      if (leftItem === undefined) break;
      const isRight = rightItem !== undefined && before(rightItem, leftItem);
      const child = isRight ? rightItem : leftItem;
      if (!before(child, item)) break;
      items[at] = child;
      at = isRight ? leftAt + 1 : leftAt;
    }
    items[at] = item;
  }

  return {
    add: (item) => rise(item, items.length),
    first: () => items[0],
    takeFirst() {
      const first = items[0];
      const last = items.pop();
      if (last !== undefined && items.length > 0) sink(last);
      return first;
    },
    get size() {
      return items.length;
    },
  };
}
