/** What becomes of an attempt: finished, failed, or queued again. Pure, so that every row of the crash table is a test. */
import type { ErrorData, ErrorDetail, ErrorKind } from "../base/errors.ts";
import { type JobErrorKind, jobErrorKinds } from "../base/errors.ts";
import type { JobFailure } from "../model/job.ts";

export interface AttemptFacts {
  /** How often a worker of this living node died under the job before anything was sent. */
  readonly crashes: number;
  /** Attempts so far whose worker was lost after the first command was sent. */
  readonly lostAttempts: number;
  /** How many of those the caller allows; 0 for configuration and all that must not run twice. */
  readonly retries: number;
  /** Whether a command may have left: the sending was recorded. */
  readonly intentRecorded: boolean;
  /** Lines that may have reached the device, in this attempt or one before. */
  readonly sent: readonly string[];
  readonly error: ErrorData;
  /** The driver had given its outputs: the end of every line was seen, whatever went wrong afterwards. */
  readonly answered?: boolean | undefined;
  /** The lease of the node ended while the job ran: it stood still, or could not reach the store. */
  readonly leaseLapsed?: boolean | undefined;
  /** Who stopped it: it is not started again. */
  readonly stoppedBy?: "cancel" | "worker" | undefined;
}

export type Verdict =
  | { readonly kind: "failed"; readonly error: JobFailure; readonly partial: unknown }
  | { readonly kind: "requeue"; readonly lostAttempts: number }
  /** Queued again, but not to be taken at once: what this node lacks now, it lacks for the next job, too. */
  | { readonly kind: "requeueLater"; readonly lostAttempts: number };

/** A job whose workers keep dying before they begin is at fault itself. A node that dies may die of anything: that does not count. */
const mostCrashes = 3;

/** After these the end of the last command was seen: its outcome is known. */
const endSeen: ReadonlySet<ErrorKind> = new Set(["CommandError", "ParseError", "RenderError", "CheckFailed"]);

/** A node that stood still takes its own absence for the silence of the device. */
const silence: ReadonlySet<ErrorKind> = new Set(["ConnectionTimeout", "ReadTimeout", "ConnectionLost"]);

export function judgeFailure(facts: AttemptFacts): Verdict {
  const { stoppedBy, intentRecorded } = facts;
  const error: ErrorData =
    facts.leaseLapsed && silence.has(facts.error.kind)
      ? { ...facts.error, kind: "WorkerLost", message: `${lapsedText} ${facts.error.message}` }
      : facts.error;
  if (isLoss(error.kind) && stoppedBy === undefined) {
    if (!intentRecorded && facts.crashes < mostCrashes)
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

/** A driver that knows it says so; else the kind of the failure tells whether the end of the last command was seen. */
function mayHaveActed(kind: ErrorKind, outcome: ErrorDetail["outcome"]): boolean {
  if (outcome === "none") return false;
  return outcome === "unknown" || !endSeen.has(kind);
}

/** A node that can not reach its store can not go on with a job, as one that has died. */
function isLoss(kind: ErrorKind): boolean {
  return kind === "WorkerLost" || isOurOwn(kind);
}

/** The device has nothing to do with it. */
function isOurOwn(kind: ErrorKind): boolean {
  return kind === "Unavailable" || kind === "ResourceExhausted";
}

/** Kinds that a request can fail with, too, get the name a job's reader knows. */
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

const lapsedText = "The lease of this node ended while the job was running.";

/** What a worker that died while it was sending leaves behind. */
export const lostWhileSending: ErrorData = {
  kind: "WorkerLost",
  message: "The worker stopped while the command was running. The device may have executed it.",
};

export const lostBeforeSending: ErrorData = {
  kind: "WorkerLost",
  message: "The worker stopped before anything was sent.",
};
