/** A ledger without entries. */
import type { Ledger } from "../../../src/ledger/port.ts";
import { doubleOf } from "./double.ts";

export const noLedger = doubleOf<Ledger>({
  list: async () => ({ items: [], next: undefined }),
  outside: async () => ({ items: [], next: undefined }),
  async *exported() {
    yield "{}\n";
  },
});
