/** What the end of a job means for a device of a change. Pure. */
import * as v from "valibot";
import type { TargetState } from "../../api/changes/change.ts";
import { jobResult } from "../../api/jobs/job.ts";
import { outcomeOf, readCheckReport, splitResult } from "../../checks/report.ts";
import type { StoredJob } from "../../store/port.ts";

export interface TargetOutcome {
  readonly state: TargetState;
  readonly reason: string | null;
  /** Lines may be on the device. */
  readonly touched: boolean;
}

const unreachable: ReadonlySet<string> = new Set([
  "ConnectionTimeout",
  "ConnectionRefused",
  "HostUnreachable",
]);
/** It never began. */
const skipped: ReadonlySet<string> = new Set(["JobExpired"]);
/** Nothing was sent. */
const before: ReadonlySet<string> = new Set([
  ...["AuthenticationFailed", "HostKeyMismatch", "RenderError", "Validation", "Forbidden", "NotFound"],
]);
const maxReason = 500;
const failure = v.pipe(v.string(), v.parseJson(), jobResult);

/** What a job that was to end an open push found in its place. */
export function foundInPlace({ status, result }: Pick<StoredJob, "status" | "result">) {
  if (status !== "failed" || result === null) return undefined;
  const read = v.safeParse(failure, splitResult(result).result);
  return read.success ? read.output.error?.found : undefined;
}

/** Whether the device has surely heard nothing of a job that failed. */
export function isUnsent({ status, errorType, result }: Pick<StoredJob, "status" | "errorType" | "result">) {
  if (status === "cancelled") return true;
  if (status !== "failed") return false;
  const read = v.safeParse(failure, result === null ? "" : splitResult(result).result);
  const error = read.success ? read.output.error : null;
  const type = errorType ?? error?.type ?? "";
  if (error?.outcome === "unknown") return false;
  return error?.outcome === "none" || unreachable.has(type) || skipped.has(type) || before.has(type);
}

/** What is stored with a push that waits in its device. */
export function marksOf({ result }: Pick<StoredJob, "result">): string | undefined {
  const { checks } = result === null ? {} : splitResult(result);
  return checks === undefined ? undefined : readCheckReport(JSON.parse(checks))?.open;
}

/** @param job one that has ended */
export function outcomeOfJob(job: Pick<StoredJob, "status" | "errorType" | "result">): TargetOutcome {
  if (job.status === "finished") return { state: "pushed", reason: null, touched: true };
  if (job.status === "cancelled")
    return { state: "skipped", reason: "it had not begun when the change stopped", touched: false };
  const split = job.result === null ? undefined : splitResult(job.result);
  const read = v.safeParse(failure, split?.result ?? "");
  const error = read.success ? read.output.error : null;
  const type = job.errorType ?? error?.type ?? "";
  const reason = `${type}: ${error?.message ?? "no reason is known"}`.slice(0, maxReason);
  if (unreachable.has(type) && error?.outcome !== "unknown")
    return { state: "unreachable", reason, touched: false };
  if (skipped.has(type)) return { state: "skipped", reason, touched: false };
  const report = split?.checks === undefined ? undefined : readCheckReport(JSON.parse(split.checks));
  if (report !== undefined) {
    const outcome = outcomeOf(report);
    const touched = outcome !== "not_pushed" && outcome !== "undone";
    return { state: outcome === "unknown" ? "unknown" : "failed", reason, touched };
  }
  if (error?.outcome === "unknown") return { state: "unknown", reason, touched: true };
  return { state: "failed", reason, touched: !before.has(type) };
}
