/** Batches of calls, as this database refuses them. */
import { batcherOf } from "../../batches.ts";

export const createBatcher = <T, R>(write: (items: readonly T[]) => Promise<readonly R[]>, maxRows: number) =>
  batcherOf(write, maxRows, isRefusal);

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(?!BUSY|FULL)/.test(String(error.code));
}
