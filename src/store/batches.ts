/**
 * Batches calls of one event loop turn into a few multi-row statements: preparing a statement costs more than one of
 * its rows.
 */
import { yieldToEventLoop } from "../base/time/yield.ts";

/**
 * @param write gets up to `most` items and returns a result for each, in order
 * @param isRefusal whether the database rejected the statement itself; any other error would only repeat
 * @param grouped how the store splits rows
 * @returns adds one item; if a batch is refused, its items are retried one by one, so that each rejects with its own
 *   error
 */
export function batcherOf<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  maxRows: number,
  isRefusal: (error: unknown) => boolean,
  grouped: <Row>(rows: readonly Row[], most: number) => Row[][],
): (item: T) => Promise<R> {
  let waiting: { item: T; resolve(result: R): void; reject(error: unknown): void }[] = [];

  async function flush(): Promise<void> {
    await yieldToEventLoop();
    const batch = waiting;
    waiting = [];
    // The writer combines the statements into one transaction.
    for (const group of grouped(batch, maxRows)) void send(group);
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
      // One item may be at fault for the whole batch: retried alone, each gets its own result.
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

/** Splits rows so that no group has two of one key: one statement cannot update a row twice. Keeps the order of each. */
export function withoutRepeats<T>(rows: readonly T[], keyOf: (row: T) => string): T[][] {
  const groups: T[][] = [];
  const times = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    const group = groups[time] ?? [];
    groups[time] = group;
    group.push(row);
  }
  return groups;
}
