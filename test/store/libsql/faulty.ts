/**
 * A connection with seeded, reproducible faults: busy, timeout, reset, and applied although it reports a
 * timeout.
 */
import type { Connection } from "../../../src/store/libsql/database/connection.ts";
import type { WrapConnection } from "../../../src/store/libsql/database/open.ts";

export interface Faults {
  readonly wrap: WrapConnection;
  /** Number of injected faults by kind. */
  readonly made: Record<FaultKind, number>;
  /** Stops injecting faults. */
  heal(): void;
}

const kinds = ["busy", "timeout", "reset", "applied"] as const;
export type FaultKind = (typeof kinds)[number];

/** @param share fraction of calls that get each kind of fault. */
export function faulty(seed: number, share = 0.01): Faults {
  const random = randomOf(seed);
  const made: Record<FaultKind, number> = { busy: 0, timeout: 0, reset: 0, applied: 0 };
  let healed = false;
  let started = false;

  function draw(): FaultKind | undefined {
    const value = random();
    if (healed || !started) return undefined;
    const kind = kinds[Math.floor(value / share)];
    if (kind) made[kind]++;
    return kind;
  }

  async function run<T>(call: () => Promise<T>): Promise<T> {
    const kind = draw();
    if (kind === "busy") throw Object.assign(new Error("SQLITE_BUSY: injected"), { code: "SQLITE_BUSY" });
    if (kind === "timeout") throw new DOMException("The operation timed out.", "TimeoutError");
    if (kind === "reset") throw Object.assign(new Error("socket closed"), { code: "ECONNRESET" });
    const result = await call();
    if (kind === "applied") throw new DOMException("The operation timed out.", "TimeoutError");
    return result;
  }

  return {
    made,
    heal() {
      healed = true;
    },
    wrap: (link): Connection => {
      // Opening and migrating are not under test here.
      setTimeout(() => {
        started = true;
      }, 50);
      return {
        ...link,
        batch: (statements) => run(() => link.batch(statements)),
        read: (statement) => run(() => link.read(statement)),
      };
    },
  };
}

/** mulberry32: small, seeded, and good enough to choose faults. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
