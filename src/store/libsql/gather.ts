/** Calls of one turn of the loop become one statement of many rows: preparing a statement costs more than a row of it. */
import { yieldToEventLoop } from "../../base/yield.ts";

/**
 * @param write gets up to `most` items and gives a result for each, in order.
 * @returns adds one item; rejects with its own error when the items fail together and then alone.
 */
export function createBatcher<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  most: number,
): (item: T) => Promise<R> {
  let waiting: { item: T; resolve(result: R): void; reject(error: unknown): void }[] = [];

  async function flush(): Promise<void> {
    await yieldToEventLoop();
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += most) void send(all.slice(at, at + most));
  }

  async function send(some: typeof waiting): Promise<void> {
    try {
      const results = await write(some.map((one) => one.item));
      for (const [at, one] of some.entries()) {
        const result = results[at];
        if (result === undefined) one.reject(new Error("a gathered write gave too few results"));
        else one.resolve(result);
      }
    } catch (error) {
      // One item may be at fault for all: each on its own shows which.
      if (some.length > 1 && isRefusal(error)) for (const one of some) void send([one]);
      else for (const one of some) one.reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) void flush();
    });
}

/** The database said no to the statement itself; anything else would fail again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(?!BUSY|FULL)/.test(String(error.code));
}

/** `(?, ?, ?), (?, ?, ?)` */
export function rowsOf(rows: number, columns: number): string {
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
  return Array.from({ length: rows }, () => row).join(", ");
}
