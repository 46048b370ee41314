/** Batches of calls, as this database refuses them. */
import { batcherOf } from "../../batches.ts";
import { faultOf } from "./faults.ts";

export const createBatcher = <T, R>(write: (items: readonly T[]) => Promise<readonly R[]>, maxRows: number) =>
  batcherOf(write, maxRows, (error) => ["refused", "stale"].includes(faultOf(error)));
