/** Calls of one turn of the loop become a few statements of many rows: preparing a statement costs more than a row of it. */
import { yieldToEventLoop } from "../../../base/yield.ts";
import { inGroups } from "./groups.ts";

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
    // The writer makes one transaction of them.
    for (const group of inGroups(all, most)) void send(group);
  }

  async function send(calls: typeof waiting): Promise<void> {
    try {
      const results = await write(calls.map((call) => call.item));
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        if (result === undefined) call.reject(new Error("a batched write gave too few results"));
        else call.resolve(result);
      }
    } catch (error) {
      // One item may be at fault for all: each on its own shows which.
      if (calls.length > 1 && isRefusal(error)) for (const call of calls) void send([call]);
      else for (const call of calls) call.reject(error);
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
