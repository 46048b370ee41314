/** A ledger without entries. */
import { ServiceError } from "../../../src/base/errors.ts";
import type { Ledger } from "../../../src/ledger/port.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "The ledger has no entry."));

export const noLedger: Ledger = {
  list: async () => ({ items: [], next: undefined }),
  entry: notThere,
  outside: async () => ({ items: [], next: undefined }),
  async *exported() {
    yield "{}\n";
  },
  checkpoint: notThere,
  signNow: notThere,
  publicKey: notThere,
  verify: notThere,
};
