/** A push between checks: before, push, settle, after, and then exactly one of confirm and undo, whatever happens. */

import type { CheckReport, CheckResult, PushPhase, StoredChecks, UndoWord } from "../../api/jobs/checks.ts";
import { type ErrorDetail, ServiceError, toErrorData } from "../../base/errors.ts";
import { abortReason, pause } from "../../base/time/deadline.ts";
import { stopTimes } from "../../base/time/stop-times.ts";
import { planOf } from "../../checks/plan.ts";
import { failureText } from "../../checks/report.ts";
import type { Change, Outputs } from "../../plugin/index.ts";
import { withGracePeriod } from "../kit/grace-period.ts";
import { type CheckRunOptions, runChecks, type ValuesBefore } from "./check-run.ts";

export interface CheckedPushOptions extends CheckRunOptions {
  readonly checks: StoredChecks;
  /** The rollback method that the driver announces before the push; `none`: it cannot roll back. */
  readonly how: UndoWord;
  /** Records the lines; nothing is sent before. */
  intend(): Promise<void>;
  /** Pushes permanently. */
  push(): Promise<Outputs>;
  /** Used instead of `push`, so that the push can be rolled back if the device supports it. */
  change?(): Promise<Change>;
  /**
   * The outputs of that change.
   * @throws ServiceError DriverError
   */
  outputsOf(change: Change): Outputs;
}

export interface CheckedPush {
  readonly outputs: Outputs;
  readonly checks: CheckReport;
}

/** @throws ServiceError with `detail.checks`: CheckFailed, or the error that ended the job */
export async function checkedPush(options: CheckedPushOptions): Promise<CheckedPush> {
  const { checks, ctx, ask } = options;
  const plan = planOf(checks);
  const values: ValuesBefore = new Map();
  const report: CheckReport = {
    before: [],
    after: [],
    pushed: false,
    undone: false,
    how: options.how,
    message: "",
  };
  const { before, after } = report;

  await guarded(report, "Nothing was pushed.", "none", () =>
    runChecks(plan.before, values, before, false, options),
  );
  if (hasFailed(before)) throw failed(report, `${failureText(before, "before")} Nothing was pushed.`, "none");

  await guarded(report, "Nothing was pushed.", "none", async () => {
    await ask({ about: "checks", note: { phase: "push", how: report.how, before } });
    await options.intend();
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
  });
  const { outputs: reported, change } = await pushed(options, report);
  if (change) report.how = change.how;
  report.pushed = true;
  let outputs: Outputs = reported ?? [];

  /** Not awaited: the phase recorded before it also remains a true statement. */
  function note(phase: PushPhase): void {
    const { revertsAt } = change ?? {};
    const until = revertsAt === undefined ? {} : { revertsAt: Math.round(revertsAt) };
    const open = change?.open === undefined ? {} : { open: change.open };
    void ask({ about: "checks", note: { phase, how: report.how, before, ...until, ...open } }).catch(
      (error: unknown) => ctx.log.debug("checks.not_noted", { phase, reason: String(error) }),
    );
  }

  async function settle(action: "confirm" | "undo", held: Change): Promise<void> {
    note(action);
    await withGracePeriod(ctx, stopTimes.undoMs, (late) => held[action](late));
  }

  async function runAfterChecks(): Promise<void> {
    note("after");
    if (change) outputs = options.outputsOf(change);
    await pause(checks.settleMs, ctx.signal);
    // If the push will be rolled back, one failed check is enough.
    await runChecks(plan.after, values, after, report.how !== "none", options);
    if (hasFailed(after)) throw new ServiceError("CheckFailed", failureText(after, "after"));
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
  }

  let fault: unknown;
  try {
    await runAfterChecks();
  } catch (error) {
    fault = error;
  }
  if (fault !== undefined) {
    await takeBack(report, change, checks, settle);
    throw afterFault(fault, report, outputs);
  }
  if (change?.open !== undefined) {
    report.open = change.open;
    report.message = "All checks passed. The commit waits in the device for its confirmation.";
    return { outputs, checks: report };
  }
  if (change)
    await guarded(
      report,
      "The change was not confirmed.",
      undefined,
      () => settle("confirm", change),
      outputs,
    );
  report.message = change ? "All checks passed, and the change was confirmed." : "All checks passed.";
  return { outputs, checks: report };
}

async function pushed(
  { change, push }: CheckedPushOptions,
  report: CheckReport,
): Promise<{ outputs?: Outputs; change?: Change }> {
  try {
    return change ? { change: await change() } : { outputs: await push() };
  } catch (error) {
    const { kind, message, detail } = toErrorData(error, "DriverError");
    const none = detail?.outcome === "none";
    report.pushed = none ? false : "unknown";
    report.undone = none || !change ? false : "unknown";
    report.message = none ? pushFailed.none : change ? pushFailed.doubt : pushFailed.kept;
    throw new ServiceError(kind, message, { ...detail, checks: report }, { cause: error });
  }
}

const pushFailed = {
  none: "The push failed and left nothing on the device.",
  kept: "The push failed: the lines that the device accepted stay there.",
  doubt: "The push failed: it is unknown whether the device is in its former state.",
};

const noWay = "The lines stay on the device: it cannot roll them back.";

async function takeBack(
  report: CheckReport,
  change: Change | undefined,
  { onFailure }: StoredChecks,
  settle: (action: "undo", change: Change) => Promise<void>,
): Promise<void> {
  if (change === undefined) {
    report.message =
      onFailure === "keep" ? "The lines stay on the device, as requested (on_failure: keep)." : noWay;
    return;
  }
  try {
    await settle("undo", change);
    if (change.how === "none") {
      report.message = noWay;
      return;
    }
    report.undone = true;
    report.message = "The lines were rolled back.";
  } catch (error) {
    const { message, detail } = toErrorData(error, "DriverError");
    const stays = change.how === "none" || detail?.outcome === "none";
    report.undone = stays ? false : "unknown";
    report.message =
      change.how === "none"
        ? noWay
        : stays
          ? `The lines could not be rolled back and stay on the device: ${message}`
          : `It is unknown whether the lines were rolled back: ${message}`;
  }
}

/** An error after the push, either of the checks or the one that ended the job, with what is known about the device. */
function afterFault(fault: unknown, report: CheckReport, outputs: Outputs): ServiceError {
  const { kind, message, detail } = toErrorData(fault, "DriverError");
  const checkFailed = kind === "CheckFailed";
  // After a rollback nothing is left. Otherwise the lines are on the device, which is certain only if a check failed.
  const outcome =
    report.undone === true
      ? "none"
      : checkFailed && report.undone === false
        ? undefined
        : ("unknown" as const);
  const more: ErrorDetail = { ...detail, partial: outputs, checks: report };
  if (outcome === undefined) delete more.outcome;
  else more.outcome = outcome;
  return new ServiceError(kind, checkFailed ? `${message} ${report.message}` : message, more, {
    cause: fault,
  });
}

function failed(report: CheckReport, message: string, outcome: "none"): ServiceError {
  report.message = "Nothing was pushed.";
  return new ServiceError("CheckFailed", message, { outcome, checks: report });
}

/** The error carries what was known when it occurred. */
async function guarded<T>(
  report: CheckReport,
  message: string,
  outcome: "none" | undefined,
  work: () => Promise<T>,
  outputs?: Outputs,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { kind, message: why, detail } = toErrorData(error, "DriverError");
    const isUndone = outcome === undefined;
    report.message = message;
    if (isUndone) report.undone = detail?.outcome === "none" ? false : "unknown";
    throw new ServiceError(
      kind,
      why,
      {
        ...detail,
        outcome: outcome ?? "unknown",
        checks: report,
        ...(outputs === undefined ? {} : { partial: outputs }),
      },
      { cause: error },
    );
  }
}

function hasFailed(results: readonly CheckResult[]): boolean {
  return results.some(({ ok }) => ok === false);
}
