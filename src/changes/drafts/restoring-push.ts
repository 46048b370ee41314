/** The push that gives a device of a change back a version that it had. */
import type { ChangeRequest } from "../../api/changes/change.ts";
import type { RestorePlan } from "../../api/history/history.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import type { Returns } from "../../history/port.ts";
import type { StoredChangeTarget } from "../../store/port.ts";
import { isPassing } from "../targets.ts";
import { textOfLines } from "./restoring.ts";

export interface RestoringPush {
  readonly device: string;
  /** Masked. */
  readonly config: string | readonly string[];
  readonly restore: RestorePlan;
  readonly driverArgs: Readonly<Record<string, unknown>>;
}

/** What restores a version is found again: its secrets are put in by the job. */
export async function restoringPush(
  { device, beforeVersion }: Pick<StoredChangeTarget, "device" | "beforeVersion">,
  version: number,
  planned: readonly string[],
  driverArgs: ChangeRequest["driver_args"],
  returns: Pick<Returns, "plan">,
): Promise<RestoringPush | { readonly reason: string }> {
  try {
    const found = await returns.plan(device, version, beforeVersion ?? 0);
    if (textOfLines(found.config) !== planned.join("\n"))
      return { reason: "what restores it is not what was planned any more." };
    const args = { ...driverArgs, ...found.driverArgs };
    return { device, config: found.config, restore: found.plan, driverArgs: args };
  } catch (error) {
    if (!(error instanceof ServiceError) || isPassing(error)) throw error;
    return { reason: errorSentence(error) };
  }
}
