/** Submits bulks and reports refused devices. */
import { randomUUID } from "node:crypto";
import { plural } from "../../../client/output/numbers.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { type Submitted, submitted } from "../../../client/service/answers.ts";
import { inFlags } from "../../../client/service/retry.ts";
import type { Session } from "./action.ts";

const maxWarnings = 5;

/** Retries are safe: they repeat the Idempotency-Key. @returns the ids of the bulks */
export async function submitBulks(
  bodies: readonly object[],
  { api, terminal }: Session,
  path = "/device/bulk",
): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const answer = await api.call(path, submitted, {
      method: "POST",
      body,
      headers: { "Idempotency-Key": randomUUID() },
      patient: true,
    });
    ids.push(answer.bulk_id);
    tellSubmitted(answer, terminal);
  }
  return ids;
}

export function tellSubmitted(
  { bulk_id, succeeded, failed_jobs, warnings: ofJobs = [] }: Submitted,
  { note }: Pick<Terminal, "note">,
): void {
  note(`Bulk ${bulk_id}: ${plural(succeeded.length + failed_jobs.length, "device")}.`);
  const warnings = [...new Set([...ofJobs, ...succeeded.flatMap((ticket) => ticket.warnings ?? [])])];
  for (const warning of warnings.slice(0, maxWarnings)) note(`warning: ${inFlags(warning)}`);
  if (warnings.length > maxWarnings) note(`and ${warnings.length - maxWarnings} more warnings`);
}
