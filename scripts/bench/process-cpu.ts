/** Processor time of another process: on a busy machine it says more than the clock on the wall. */
import { readFileSync } from "node:fs";

/** Of all its threads, of user and system together. Linux counts in hundredths. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
