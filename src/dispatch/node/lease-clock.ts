/** Validity of the lease by the monotonic clock; device threads check it before every write. */
import { monotonicMs } from "../../base/time/monotonic.ts";
import type { LeaseClock } from "../port.ts";

/** @param endless always valid, for a file that only this process can use. */
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
