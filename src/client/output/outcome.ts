/** Exit codes of the client, as in docs/reference/client.md. */
import { ServiceError } from "../../base/errors.ts";
import type { EndedJob } from "../service/answers.ts";

export const exitCodes = {
  /** Everything succeeded. */
  good: 0,
  /** Something failed, was cancelled, or was not found. */
  failed: 1,
  /** Wrong usage: an argument, a file, a request that the service refuses. */
  usage: 2,
  /** The service cannot be reached, or refuses the key. */
  unreachable: 3,
  /** The outcome on a device is unknown: lines may have run. */
  unknown: 4,
  /** Ctrl-C; the work continues on the service. */
  interrupted: 130,
} as const;

/** What only reads, whichever way it ends; output that is sent elsewhere is written. */
const reads = /^\s*(?:do\s+)?(?:sh(?:o|ow)?|disp(?:lay)?|dir|ping|traceroute|tracert|get_\w+)(?:\s|$)/i;
const writes = /[\r\n>]|\|\s*(?:redirect|append|tee|save)\b/i;

/** Whether lines that may have been executed could have changed the device: a lost `show` needs no one to look. */
export function mayHaveChanged(
  error: {
    readonly outcome?: string;
    readonly sent?: readonly string[];
  } | null = null,
): boolean {
  if (error?.outcome !== "unknown") return false;
  const { sent = [] } = error;
  return sent.length === 0 || sent.some((line) => !reads.test(line) || writes.test(line));
}

/** The exit code of the worst job. */
export function exitCodeOf(jobs: Iterable<Pick<EndedJob, "status" | "result">>): number {
  let code: number = exitCodes.good;
  for (const { status, result } of jobs) {
    if (mayHaveChanged(result?.error)) return exitCodes.unknown;
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
