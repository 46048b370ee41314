/** Translates the commit options of a push into the platform's steps, and computes the timeouts of each part. */
import { ServiceError } from "../../../base/errors.ts";
import type { ConfigureOptions } from "../../../plugin/kit/cli.ts";
import type { Candidate, Step } from "../../../plugin/platform.ts";
import { answerPattern } from "../platform.ts";

/** Returns the steps of a commit. Rejects options that the platform does not support before anything is sent. */
export function commitSteps(candidate: Candidate | undefined, options: ConfigureOptions): readonly Step[] {
  const { commit, kept } = options;
  const commented = commit !== false && commit?.comment !== undefined;
  if (kept?.undo.timer !== undefined && candidate?.confirm !== undefined)
    return (commented ? candidate.confirmComment : undefined) ?? candidate.confirm;
  if (!commit) return candidate?.commit ?? [];
  // An undo method with its own timer already covers this.
  if (kept?.undo.timer !== undefined) return candidate?.commit ?? [];
  const lacks = (feature: string) =>
    new ServiceError("DriverError", `This platform has no ${feature}: leave the argument out.`);
  if (candidate === undefined) {
    if (commit.confirmMinutes !== undefined) throw lacks("confirmed commit");
    return [];
  }
  if (commit.confirmMinutes !== undefined) {
    if (candidate.confirm === undefined) throw lacks("confirmed commit");
    if (!commented) return candidate.confirm;
    if (candidate.confirmComment === undefined) throw lacks("confirmed commit with a comment");
    return candidate.confirmComment;
  }
  if (!commented) return candidate.commit;
  if (candidate.commitComment === undefined) throw lacks("commit with a comment");
  return candidate.commitComment;
}

/** `commit check` does not commit. */
const committing = /^\s*(?:do )?commit\b(?! (?:check|validate)\b)/i;
const changesNothing =
  /^\s*(?:$|(?:exit|end|quit|quit-config|top|return|save|write|copy|show|display|run|do|compare)\b)/i;

/** It would defeat a dry run, and the undo point would be saved after it. */
export function refuseCommitOf(lines: readonly string[], { dryRun, kept }: ConfigureOptions): void {
  const own = dryRun || kept !== undefined ? lines.find((line) => committing.test(line)) : undefined;
  if (own === undefined) return;
  const option = dryRun ? "dry_run" : "checks";
  throw new ServiceError(
    "DriverError",
    `The line ${JSON.stringify(own.trim())} commits on its own: remove it from a push with ${option}.`,
  );
}

/**
 * Whether the lines committed before they left the configuration: then there is nothing to commit, and nothing is lost.
 */
export function haveCommitted(lines: readonly string[], transcript: string, candidate?: Candidate): boolean {
  const at = lines.findLastIndex((line) => committing.test(line));
  if (at < 0 || !lines.slice(at + 1).every((line) => changesNothing.test(line))) return false;
  return candidate?.failed.some((pattern) => answerPattern(pattern).test(transcript)) === false;
}

/** A timeout set by the caller limits the whole exchange; the default limits the silence of the device. */
export function limitsOf({ readTimeoutMs, delayFactor }: ConfigureOptions, quietMs: number) {
  return {
    ...(readTimeoutMs === undefined ? { quietMs } : { totalMs: readTimeoutMs }),
    ...(delayFactor === undefined ? {} : { delayFactor }),
  };
}

/** A commit takes longer than a line, so a timeout meant for lines must not cut it off. */
export function stepLimits({ readTimeoutMs, delayFactor }: ConfigureOptions, quietMs: number) {
  return {
    quietMs: Math.max(quietMs, readTimeoutMs ?? 0),
    ...(delayFactor === undefined ? {} : { delayFactor }),
  };
}

export function valuesOf({ commit, kept }: ConfigureOptions): Record<string, string> {
  return {
    ...(commit
      ? {
          // Steps put the comment in double quotes.
          comment: (commit.comment ?? "").replaceAll('"', "'"),
          minutes: String(commit.confirmMinutes ?? ""),
          seconds: String((commit.confirmMinutes ?? 0) * 60),
        }
      : {}),
    ...kept?.values,
  };
}
