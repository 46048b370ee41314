/** Builds the check report of a record: failures, outcome of the push, and what is known after a worker was lost. */
import * as v from "valibot";
import {
  type CheckNote,
  type CheckReport,
  type CheckResult,
  checkNote,
  checkReport,
  type PushOutcome,
} from "../api/jobs/checks.ts";
import { rawMember } from "../base/json/json.ts";

/** `1 of 3 checks before the push failed: BGP is up: Nothing in the output matches.` @param when absent: without a push */
export function failureText(results: readonly CheckResult[], when?: "before" | "after"): string {
  const failed = results.filter(({ ok }) => ok === false);
  const [first] = failed;
  const checks = when === undefined ? "checks" : `checks ${when} the push`;
  if (first === undefined) return `All ${checks} passed.`;
  const of = `${failed.length} of ${results.length} ${checks} failed`;
  return `${of}: ${first.name ?? first.command}: ${first.message}`;
}

/** Of a check that only measures, on a device that gets no lines. */
export const measuredAlone = "Its value, which is compared with that before the change.";

/** The outcome of a failed job. @param report undefined if the job ended before there was one */
export function outcomeOf(report: Pick<CheckReport, "pushed" | "undone"> | undefined): PushOutcome {
  if (report === undefined || report.pushed === false) return "not_pushed";
  if (report.undone === true) return "undone";
  return report.pushed === "unknown" || report.undone === "unknown" ? "unknown" : "not_undone";
}

/** The report of a job whose worker was lost, from the last progress note. */
export function lostReport({ phase, how, before, revertsAt, open: left }: CheckNote): CheckReport {
  const pushed = phase === "push" ? "unknown" : true;
  const open = left === undefined ? {} : { open: left };
  if (how === "none")
    return { before, after: [], pushed, undone: false, how, message: lostForGood[`${pushed}`] };
  const until = revertsAt === undefined ? "" : `, by ${new Date(revertsAt).toISOString()}`;
  const itself =
    how === "confirmed_commit" ? ` The device reverts an unconfirmed change by itself${until}.` : "";
  return { before, after: [], pushed, undone: "unknown", how, message: `${lost[phase]}${itself}`, ...open };
}

const lostForGood = {
  unknown: "The worker was lost while sending the lines: it is unknown whether the device accepted them.",
  true: "The worker was lost after the push and before the checks had ended: the lines stay on the device.",
};

const lost: Record<CheckNote["phase"], string> = {
  push: "The worker was lost while sending the lines: it is unknown whether the device accepted them and rolled them back.",
  after:
    "The worker was lost after the push and before the checks had ended: it is unknown whether the lines were rolled back.",
  confirm:
    "The worker was lost after the checks had passed, while confirming the change: it is unknown whether it was confirmed.",
  undo: "The worker was lost while rolling back: it is unknown whether the rollback was completed.",
};

/** @returns undefined for a note of another version */
export function readCheckNote(text: string): CheckNote | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), checkNote), text);
  return read.success ? read.output : undefined;
}

/** Parses the report of a failed task. @returns undefined if there is none */
export function readCheckReport(input: unknown): CheckReport | undefined {
  const read = v.safeParse(checkReport, input);
  return read.success ? read.output : undefined;
}

/** Splits a stored result from its checks, which come last and are a field of the record. */
export function splitResult(result: string): {
  readonly result: string;
  readonly checks?: string;
} {
  if (!result.endsWith("}}")) return { result };
  if (!result.includes(memberStart)) return { result };
  const checks = rawMember(result, ["checks"]);
  if (checks === undefined) return { result };
  return { result: `${result.slice(0, -1 - checks.length - memberStart.length)}}`, checks };
}

const memberStart = ',"checks":';

/** @param result JSON text of a result without checks */
export function withChecks(result: string, checks: CheckReport | undefined): string {
  return checks === undefined ? result : `${result.slice(0, -1)}${memberStart}${JSON.stringify(checks)}}`;
}
