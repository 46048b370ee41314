/** Separates issues of the whole bulk request from those of single devices. */

import { isGiven } from "../../base/json/members.ts";
import type { ExpandedBulk } from "../bulk/bulk-selection.ts";
import type { Issue } from "./validate.ts";

/** Issues that no entry contributes to belong to the request. */
export function sharedIssues(
  issues: readonly Issue[],
  request: ExpandedBulk,
  entry: Record<string, unknown>,
  hasOwnWork: boolean,
): Issue[] {
  return issues.filter(({ path }) => {
    // Work given by some entries only is missing in the others.
    if (path === "command" && !isGiven(request.command) && !isGiven(request.config))
      return !hasOwnWork && !request.devices.some(bringsWork);
    const [first, field = ""] = path.split(".");
    if (first === "connection_args")
      return (
        isGiven(request.connection_args?.[field]) &&
        !isGiven(entry[field]) &&
        !nameOf(field).some((name) => isGiven(entry[name]))
      );
    // An entry may have its own kind of work with its own arguments.
    return !(hasOwnWork && (ofWork.has(first ?? "") || /^options\.checks\b/.test(path)));
  });
}

const ofWork = new Set(["command", "config", "driver_args", "parsing", "rendering", "checks"]);

function bringsWork({ command, config }: Record<string, unknown>): boolean {
  return isGiven(command) || isGiven(config);
}

/** `host` and `hostname` are the same field. */
function nameOf(field: string): string[] {
  return field === "host" || field === "hostname" ? ["host", "hostname"] : [field];
}
