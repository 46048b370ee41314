/** Watches what one task uses of its process: kills it above its limit of CPU time, wall time or memory. */
import { ServiceError } from "../base/errors.ts";
import type { Child } from "../runtime/child.ts";
import type { TemplateProcess } from "./template-process.ts";

export interface TaskLimits {
  /** CPU time the task may use. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Told what it holds. @returns whether that is too much beside the others. */
  seen(residentBytes: number): boolean;
  /** What was still being done, for the text of the error. */
  readonly doing: string;
}

/** The wall limit is for what waits and does not compute: far behind, since others may have the CPU. */
export const wallFactor = 10;
const longestLookMs = 50;
const shortestLookMs = 20;
/** A process can grow by 2 GB a second: one that grew by so much between two looks is looked at more often. */
const growthBytes = 4 * 1024 * 1024;
const growingLookMs = 5;

/** @returns the way to stop watching, which tells the CPU time seen last: exact only for what was killed. */
export function watchTask(
  process: Pick<TemplateProcess, "kill" | "cpuMs"> & { child: Pick<Child<never, never>, "usage"> },
  limits: TaskLimits,
): () => number {
  const baseMs = process.cpuMs();
  const startedMs = performance.now();
  let usedMs = 0;
  let stopped = false;
  let lastBytes: number | undefined;
  let timer = setTimeout(look, shortestLookMs);
  const wall = setTimeout(() => process.kill(tooLong(limits, "wall")), limits.cpuMs * wallFactor);

  async function look() {
    const usage = await process.child.usage();
    if (stopped) return;
    // Where the system does not tell, time that has passed is the most it can have computed.
    usedMs = usage === undefined ? performance.now() - startedMs : Math.max(0, usage.cpuMs - baseMs);
    if (usedMs >= limits.cpuMs) return process.kill(tooLong(limits, "cpu"));
    if (usage !== undefined) {
      const tooMuch = limits.seen(usage.residentBytes);
      if (tooMuch || usage.residentBytes > limits.memoryBytes)
        return process.kill(tooMuchMemory(usage.residentBytes));
    }
    const residentBytes = usage?.residentBytes ?? 0;
    const growing = lastBytes !== undefined && residentBytes - lastBytes > growthBytes;
    lastBytes = residentBytes;
    timer = setTimeout(look, growing ? growingLookMs : pauseMs(limits.cpuMs - usedMs));
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
    clearTimeout(wall);
    return usedMs;
  };
}

function pauseMs(leftMs: number): number {
  return Math.min(longestLookMs, Math.max(shortestLookMs, leftMs));
}

function tooLong({ doing, cpuMs }: TaskLimits, by: "cpu" | "wall"): ServiceError {
  const seconds = (ms: number) => Math.round(ms / 100) / 10;
  const after =
    by === "cpu"
      ? `${seconds(cpuMs)} seconds of computing`
      : `${seconds(cpuMs * wallFactor)} seconds, ${wallFactor} times what it may compute,`;
  return new ServiceError("TemplateTimeout", `${doing} after ${after} and was stopped.`, {
    template_error: "TemplateTimeout",
  });
}

function tooMuchMemory(residentBytes: number): ServiceError {
  const limit = Math.floor(residentBytes / 1024 / 1024);
  return new ServiceError(
    "TemplateLimit",
    `The template used more than ${limit} MiB of memory and was stopped.`,
    { template_error: "TemplateLimit" },
  );
}
