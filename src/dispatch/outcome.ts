/** Decides the verdict on an attempt: finished, failed, or requeued. Pure, to test every row of the crash table. */

import type { JobFailure } from "../api/jobs/job.ts";
import type { ErrorData, ErrorDetail, ErrorKind } from "../base/errors.ts";
import { type JobErrorKind, jobErrorKinds } from "../base/errors.ts";

export interface AttemptFacts {
  /** Worker crashes on this node before anything was sent. */
  readonly crashes: number;
  /** Attempts whose worker was lost after the first command was sent. */
  readonly lostAttempts: number;
  /** Allowed lost attempts; 0 for configuration and anything not repeatable. */
  readonly retries: number;
  /** Whether an intent was recorded, so that commands may have been sent. */
  readonly intentRecorded: boolean;
  /** Lines that may have reached the device in any attempt. */
  readonly sent: readonly string[];
  readonly error: ErrorData;
  /** Whether the driver had returned: all commands completed, whatever failed afterwards. */
  readonly answered?: boolean;
  /** Whether the lease lapsed during the job: the node was suspended or lost the store. */
  readonly leaseLapsed?: boolean;
  /** Set if it was stopped, and must not be restarted. */
  readonly stoppedBy?: "cancel" | "worker";
}

export type Verdict =
  | { readonly kind: "failed"; readonly error: JobFailure; readonly partial: unknown }
  | { readonly kind: "requeue"; readonly lostAttempts: number }
  /** Requeued with a delay: the cause on this node would affect the next job, too. */
  | { readonly kind: "requeueLater"; readonly lostAttempts: number };

/** A job that repeatedly crashes workers before sending is at fault itself. Node crashes do not count. */
const maxCrashes = 3;

/** Errors after which the outcome of the last command is known. */
const endSeen: ReadonlySet<ErrorKind> = new Set(["CommandError", "ParseError", "RenderError", "CheckFailed"]);

/** Timeouts that a suspended node may have caused itself. */
const silence: ReadonlySet<ErrorKind> = new Set(["ConnectionTimeout", "ReadTimeout", "ConnectionLost"]);

export function judgeFailure(facts: AttemptFacts): Verdict {
  const { stoppedBy, intentRecorded } = facts;
  const error: ErrorData =
    facts.leaseLapsed && silence.has(facts.error.kind)
      ? { ...facts.error, kind: "WorkerLost", message: `${lapsedText} ${facts.error.message}` }
      : facts.error;
  if (isLoss(error.kind) && stoppedBy === undefined) {
    if (!intentRecorded && facts.crashes < maxCrashes)
      return isOurOwn(error.kind)
        ? { kind: "requeueLater", lostAttempts: facts.lostAttempts }
        : { kind: "requeue", lostAttempts: facts.lostAttempts };
    if (intentRecorded && error.kind !== "ResourceExhausted" && facts.lostAttempts < facts.retries)
      return { kind: "requeue", lostAttempts: facts.lostAttempts + 1 };
  }
  const {
    partial,
    outcome,
    sent: sentByDriver,
    retryAfter: _retryAfter,
    warnings: _warnings,
    checks: _checks,
    ...detail
  } = error.detail ?? {};
  const doubtful = facts.answered !== true && (intentRecorded || facts.lostAttempts > 0);
  const unknown = doubtful && mayHaveActed(error.kind, facts.lostAttempts > 0 ? undefined : outcome);
  return {
    kind: "failed",
    partial,
    error: {
      ...detail,
      type: jobErrorType(error.kind),
      message: error.message,
      ...(unknown ? { outcome: "unknown", sent: sentByDriver ?? [...facts.sent] } : {}),
    },
  };
}

/** Uses the outcome stated by the driver; otherwise decides by the kind of error. */
function mayHaveActed(kind: ErrorKind, outcome: ErrorDetail["outcome"]): boolean {
  if (outcome === "none") return false;
  return outcome === "unknown" || !endSeen.has(kind);
}

/** Treats a node without its store like a dead one. */
function isLoss(kind: ErrorKind): boolean {
  return kind === "WorkerLost" || isOurOwn(kind);
}

/** Errors of this service, not of the device. */
function isOurOwn(kind: ErrorKind): boolean {
  return kind === "Unavailable" || kind === "ResourceExhausted";
}

/** Maps error kinds of requests to job error types. */
function jobErrorType(kind: ErrorKind): ErrorKind {
  if (isJobError(kind)) return kind;
  if (isLoss(kind)) return "WorkerLost";
  if (kind === "Validation" || kind === "Forbidden" || kind === "NotFound" || kind.startsWith("Template"))
    return kind;
  return "DriverError";
}

function isJobError(kind: ErrorKind): kind is JobErrorKind {
  return (jobErrorKinds as readonly ErrorKind[]).includes(kind);
}

const lapsedText = "The lease of this node expired while the job was running.";

/** The error of a worker that died while sending. */
export const lostWhileSending: ErrorData = {
  kind: "WorkerLost",
  message: "The worker stopped while the command was running. The device may have executed it.",
};

export const lostBeforeSending: ErrorData = {
  kind: "WorkerLost",
  message: "The worker stopped before anything was sent.",
};
