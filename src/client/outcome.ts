/** How a call of the client ends: its exit code, as docs/client.md has them. */
import { ServiceError } from "../base/errors.ts";
import type { EndedJob } from "./answers.ts";

export const exitCodes = {
  /** All that was asked for was done. */
  good: 0,
  /** Something failed, or was cancelled, or is not there. */
  failed: 1,
  /** The call itself was wrong: an argument, a file, a request that the service refuses. */
  usage: 2,
  /** The service can not be reached, or does not take the key. */
  unreachable: 3,
  /** Of a device it is not known what it has done: lines may have run. */
  unknown: 4,
  /** Ctrl-C: the work goes on. */
  interrupted: 130,
} as const;

/** The worst of the jobs. */
export function exitCodeOf(jobs: Iterable<Pick<EndedJob, "status" | "result">>): number {
  let code: number = exitCodes.good;
  for (const { status, result } of jobs) {
    if (result?.error?.outcome === "unknown") return exitCodes.unknown;
    if (status !== "finished") code = exitCodes.failed;
  }
  return code;
}

export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof ServiceError)) return exitCodes.failed;
  if (error.kind === "Unavailable" || error.kind === "Forbidden") return exitCodes.unreachable;
  const isUsage = ["Validation", "BadRequest", "PayloadTooLarge", "UnsupportedMediaType"].includes(
    error.kind,
  );
  return isUsage ? exitCodes.usage : exitCodes.failed;
}
