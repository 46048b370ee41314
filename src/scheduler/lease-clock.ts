/** How long this node may act on its lease, by its own monotonic clock; device threads read it before every write. */
import { monotonicMs } from "../base/monotonic.ts";
import type { LeaseClock } from "./port.ts";

/** @param endless nobody else can take over: the store is a file that this process owns. */
export function createLeaseClock(endless: boolean): LeaseClock {
  const validUntil = new SharedArrayBuffer(8);
  const cell = new Float64Array(validUntil);
  return {
    validUntil,
    isValid: () => monotonicMs() < (cell[0] ?? 0),
    leftMs: () => Math.max(0, (cell[0] ?? 0) - monotonicMs()),
    extend(from, forMs) {
      cell[0] = endless ? Number.POSITIVE_INFINITY : Math.max(cell[0] ?? 0, from + forMs);
    },
    end() {
      cell[0] = 0;
    },
  };
}
