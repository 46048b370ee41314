/** Submits bulks and says what came of it. */
import { randomUUID } from "node:crypto";
import { submitted } from "../../client/answers.ts";
import { plural } from "../../client/numbers.ts";
import type { Session } from "./action.ts";

const mostWarnings = 5;

/** Once, whatever breaks meanwhile: a repeat has the key of the first. @returns their ids */
export async function submitBulks(bodies: readonly object[], { api, terminal }: Session): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const { bulk_id, succeeded, failed_jobs } = await api.call("/device/bulk", submitted, {
      method: "POST",
      body,
      headers: { "Idempotency-Key": randomUUID() },
      patient: true,
    });
    ids.push(bulk_id);
    terminal.note(`Bulk ${bulk_id}: ${plural(succeeded.length + failed_jobs.length, "device")}.`);
    const warnings = [...new Set(succeeded.flatMap((ticket) => ticket.warnings ?? []))];
    for (const warning of warnings.slice(0, mostWarnings)) terminal.note(`warning: ${warning}`);
    if (warnings.length > mostWarnings) terminal.note(`and ${warnings.length - mostWarnings} more warnings`);
  }
  return ids;
}
