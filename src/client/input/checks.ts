/** Parses checks around a push from flags: `after: show ip bgp summary contains Established`. */

import { settleRange } from "../../api/jobs/bounds.ts";
import { ServiceError } from "../../base/errors.ts";
import { checkForm, checkPhases, readCheckText, type WrittenCheck } from "../../base/text/check-text.ts";
import { readInteger } from "../output/numbers.ts";
import { readObject } from "./input.ts";

export interface CheckFlags {
  readonly check?: readonly string[];
  readonly checks?: string;
  readonly settle?: string;
  readonly onFailure?: string;
}

/** Builds `checks` of a request from a file and flags. @throws ServiceError Validation */
export function readChecks({ check, checks: file, settle, onFailure }: CheckFlags): object | undefined {
  if (file === undefined && check === undefined) {
    if (settle === undefined && onFailure === undefined) return undefined;
    throw new ServiceError("Validation", "--settle and --on-failure need --check or --checks.");
  }
  const fromFile = file === undefined ? {} : readObject(file);
  const added = (check ?? []).map(readCheck);
  const lists = checkPhases.flatMap((phase) => {
    const before: unknown = fromFile[phase] ?? [];
    if (!Array.isArray(before)) throw new ServiceError("Validation", `${file}: ${phase} must be a list.`);
    const checks: unknown[] = [
      ...before,
      ...added.flatMap((newCheck) => (newCheck.phases.includes(phase) ? [newCheck.check] : [])),
    ];
    return checks.length === 0 ? [] : [[phase, checks] as const];
  });
  return {
    ...fromFile,
    ...Object.fromEntries(lists),
    ...(settle === undefined
      ? {}
      : { settle_seconds: readInteger(settle, "--settle", settleRange.min, settleRange.max) }),
    ...(onFailure === undefined ? {} : { on_failure: onFailure }),
  };
}

function readCheck(text: string): WrittenCheck {
  const read = readCheckText(text);
  if (read === undefined)
    throw new ServiceError("Validation", `--check: ${JSON.stringify(text)}: ${checkForm}.`);
  return read;
}
