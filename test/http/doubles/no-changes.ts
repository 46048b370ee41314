/** Changes of which there are none. */
import type { ChangeFeed, Changes } from "../../../src/changes/port.ts";
import { doubleOf } from "./double.ts";

export const noChanges = doubleOf<Changes>({
  list: async () => ({ items: [], next: undefined }),
});

/** Ends at once. */
export const noChangeFeed: ChangeFeed = { async *follow() {} };
