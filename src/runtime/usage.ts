/** A child process of this program on either runtime, and its resource usage as reported by Linux. */
import { readFile } from "node:fs/promises";

export interface Child<In, Out> {
  readonly pid: number;
  post(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  /** SIGKILL: takes 2-3 ms on a child stuck in a regular expression. */
  kill(): void;
  /** Resolves with the exit code (null if it was killed). */
  readonly exited: Promise<number | null>;
  /** Usage since its start; undefined if the system does not report it or the process has exited. */
  usage(): Promise<Usage | undefined>;
}

export interface Usage {
  /** CPU time of all its threads, user and system; in steps of 10 ms. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** Linux reports the same tick to all programs, whatever the kernel's own is. */
const msPerTick = 10;
const pageBytes = 4096;

export async function usageOf(pid: number): Promise<Usage | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the program name in parentheses, which may contain anything: count the fields after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [ticks, pages] = [Number(fields[11]) + Number(fields[12]), Number(fields[21])];
  if (!Number.isFinite(ticks) || !Number.isFinite(pages)) return undefined;
  return { cpuMs: ticks * msPerTick, residentBytes: pages * pageBytes };
}
