/** How long this node may act on its lease, by its own monotonic clock; device threads read it before every write. */
import process from "node:process";

export interface Trust {
  /** Shared with the device threads: one Float64, monotonic milliseconds. */
  readonly until: SharedArrayBuffer;
  lasts(): boolean;
  /** Milliseconds that are left. */
  left(): number;
  /** @param from when the renewal was sent: a slow one does not stretch it. */
  extend(from: number, forMs: number): void;
  end(): void;
}

/** The same clock in every thread of the process; it goes on while the process is stopped. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** @param endless nobody else can take over: the store is a file that this process owns. */
export function createTrust(endless: boolean): Trust {
  const until = new SharedArrayBuffer(8);
  const cell = new Float64Array(until);
  return {
    until,
    lasts: () => monotonicMs() < (cell[0] ?? 0),
    left: () => Math.max(0, (cell[0] ?? 0) - monotonicMs()),
    extend(from, forMs) {
      cell[0] = endless ? Number.POSITIVE_INFINITY : Math.max(cell[0] ?? 0, from + forMs);
    },
    end() {
      cell[0] = 0;
    },
  };
}
