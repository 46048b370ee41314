/** How long this node may act on its lease, by its own monotonic clock; device threads read it before every write. */
import { monotonicMs } from "../base/monotonic.ts";

export interface LeaseClock {
  /** Shared with the device threads: one Float64, monotonic milliseconds. */
  readonly validUntil: SharedArrayBuffer;
  isValid(): boolean;
  /** Milliseconds that are left. */
  leftMs(): number;
  /** @param from when the renewal was sent: a slow one does not stretch it. */
  extend(from: number, forMs: number): void;
  end(): void;
}

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
