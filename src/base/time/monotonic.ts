/** A monotonic clock: shared by all threads of the process, and running while the process is stopped. */
import process from "node:process";

/** Milliseconds since an arbitrary point; only differences are meaningful. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
