/** Timeline of a job: submitted, started, ended, webhook delivered. */
import * as v from "valibot";
import { formatDuration } from "../duration.ts";
import type { Job } from "../shapes.ts";
import { When } from "./when.tsx";

const attempt = v.looseObject({
  at: v.string(),
  status: v.optional(v.nullable(v.union([v.number(), v.string()]))),
  error: v.optional(v.string()),
});

interface Step {
  readonly what: string;
  readonly at: string | null;
}

export function Timeline({ of }: { of: Job }) {
  const steps: Step[] = [{ what: `submitted to ${of.queue}`, at: of.created_at }];
  if (of.started_at !== null) {
    const waited = of.queue_time === null ? "" : ` after ${formatDuration(of.queue_time)}`;
    steps.push({ what: `attempt ${of.attempt} on ${of.worker ?? "a worker"}${waited}`, at: of.started_at });
  }
  if (of.ended_at !== null) {
    const ran = of.duration === null ? "" : ` after ${formatDuration(of.duration)}`;
    steps.push({ what: `${of.status}${ran}`, at: of.ended_at });
  }
  for (const entry of of.webhook?.attempts ?? []) {
    const read = v.safeParse(attempt, entry);
    if (!read.success) continue;
    const { at, status, error } = read.output;
    steps.push({ what: `webhook: ${error ?? status ?? of.webhook?.status}`, at });
  }
  return (
    <ol class="timeline" aria-label="Timeline">
      {steps.map(({ what, at }) => (
        <li key={`${what} ${at}`}>
          <When at={at} /> {what}
        </li>
      ))}
    </ol>
  );
}
