/** A child process of this program, on either runtime, and what it has used since its birth, as Linux tells it. */
import { readFile } from "node:fs/promises";

export interface Child<In, Out> {
  readonly pid: number;
  post(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  /** SIGKILL: measured 2-3 ms on a child that is stuck in a regular expression. */
  kill(): void;
  /** Resolves with the exit code (null when it was killed). */
  readonly exited: Promise<number | null>;
  /** What it has used since its birth; undefined where the system does not tell, or when it has gone. */
  usage(): Promise<Usage | undefined>;
}

export interface Usage {
  /** Computed on all its threads, in user and system mode; the system counts in steps of 10 ms. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** Linux gives all programs the same tick, whatever its kernel was built with. */
const msPerTick = 10;
const pageBytes = 4096;

export async function usageOf(pid: number): Promise<Usage | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the program's name in parentheses, which may hold anything: fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [ticks, pages] = [Number(fields[11]) + Number(fields[12]), Number(fields[21])];
  if (!Number.isFinite(ticks) || !Number.isFinite(pages)) return undefined;
  return { cpuMs: ticks * msPerTick, residentBytes: pages * pageBytes };
}
