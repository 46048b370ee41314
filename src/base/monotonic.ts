/** A clock that nobody sets back: the same in every thread of the process, and it goes on while the process is stopped. */
import process from "node:process";

/** Milliseconds since a point of no meaning; only differences count. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
