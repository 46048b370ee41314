/** Memory and open descriptors of a process and its descendants, from /proc. */
import { readdirSync, readFileSync } from "node:fs";

export interface Sample {
  /** Minutes since the start. */
  readonly at: number;
  /** Wall clock time, as in the census. */
  readonly clock: number;
  /** Jobs that had ended. */
  readonly jobs: number;
  readonly rssMb: number;
  readonly descriptors: number;
}

export function sample(pid: number, startedAt: number, jobs: number): Sample {
  const family = [pid, ...below(pid)];
  return {
    at: (performance.now() - startedAt) / 60_000,
    clock: Date.now(),
    jobs,
    rssMb: family.reduce((sum, one) => sum + residentKb(one), 0) / 1024,
    descriptors: family.reduce((sum, one) => sum + count(`/proc/${one}/fd`), 0),
  };
}

/** Memory of a process and its descendants. */
export interface Memory {
  /**
   * Their memory use on the machine: private pages, plus pages they share counted once. Like the sum of PSS,
   * but unrelated processes of the same program do not reduce it. If the system does not report it, RSS.
   */
  readonly mb: number;
  /** Sum of RSS: shared pages count for each process. */
  readonly rssMb: number;
  /** Private pages of each process, the first process first. */
  readonly ownMb: readonly number[];
}

export function memory(pid: number): Memory {
  const all = [pid, ...below(pid)].map(pagesOf);
  const own = all.map(({ ownKb }) => ownKb / 1024);
  const shared = Math.max(...all.map(({ sharedKb }) => sharedKb / 1024));
  return {
    mb: own.reduce((sum, one) => sum + one, shared),
    rssMb: all.reduce((sum, { ownKb, sharedKb }) => sum + ownKb + sharedKb, 0) / 1024,
    ownMb: own,
  };
}

function pagesOf(pid: number): { ownKb: number; sharedKb: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const kb = (kind: string) =>
    [...rollup.matchAll(new RegExp(`^${kind}_(?:Clean|Dirty):\\s+(\\d+)`, "gm"))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  const pages = { ownKb: kb("Private"), sharedKb: kb("Shared") };
  return pages.ownKb > 0 ? pages : { ownKb: residentKb(pid), sharedKb: 0 };
}

function below(pid: number): number[] {
  const children = list(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...below(child)]);
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function count(folder: string): number {
  return list(folder).length;
}

/** Returns an empty string for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
