/** Parses the body of POST /inventory/device. */
import * as v from "valibot";
import { upsertRequest } from "../api/inventory.ts";
import { Issues } from "../base/issues.ts";
import { plain } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/members.ts";
import type { Asked } from "./plan.ts";

const knownFields = Object.keys(upsertRequest.entries).join(", ");

/** @throws ServiceError Validation */
export function readUpsert(body: unknown): Asked {
  const result = v.safeParse(upsertRequest, withPlainOptions(body));
  const issues = new Issues();
  if (!result.success) {
    for (const issue of result.issues) {
      const isUnknown = issue.type === "strict_object" && issue.expected === "never";
      issues.add(
        v.getDotPath(issue)?.slice(0, 64) ?? "",
        isUnknown ? `is unknown: known are ${knownFields}` : issue.message,
      );
    }
    issues.check();
    throw new TypeError("issues were told");
  }
  const { devices, groups, mode, create_groups, dry_run, max_changes, max_removals } = result.output;
  if (!devices && !groups) issues.add("devices", "devices or groups are required");
  if (mode === "mirror" && !devices)
    issues.add("devices", "is required for a mirror: a list that may be empty");
  issues.check();
  return {
    document: { devices, groups },
    options: {
      mode,
      createGroups: create_groups,
      dryRun: dry_run,
      maxChanges: max_changes,
      maxRemovals: max_removals,
    },
  };
}

function withPlainOptions(body: unknown): unknown {
  if (!isRecord(body)) return plain(body);
  const isEntries = (name: string) => name === "devices" || name === "groups";
  const members = Object.entries(body);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      isEntries(name) && Array.isArray(member) ? member : plain(member),
    ]),
  );
}
