/** Jobs as CSV, a row per output; no cell can be evaluated as a formula by a spreadsheet. */

import type { ListedJob } from "../../api/job.ts";
import { csvCell } from "../../base/text/csv-cell.ts";
import { outputsOf } from "./outputs.ts";

const columns = [
  ...["host", "device_type", "driver", "operation", "status", "error_type", "error_message"],
  ...["command", "output", "job_id", "bulk_id", "label", "ticket", "tags", "attempt"],
  ...["created_at", "started_at", "ended_at", "duration", "queue_time"],
  ...["dry_run", "submitted_by", "device"],
] as const;

/** Line ends as required by RFC 4180. */
const newLine = "\r\n";

export const csvHead = columns.join(",") + newLine;

export function csvOf(job: ListedJob): string {
  const { outputs, error } = outputsOf(job);
  const rows = outputs.length > 0 ? outputs : [{ command: shownWork(job), text: "" }];
  return rows
    .map(({ command, text }) =>
      [
        ...[job.host, job.device_type, job.driver, job.operation, job.status, error?.type, error?.message],
        ...[command, text, job.id, job.bulk_id, job.label, job.ticket, job.tags?.join(" "), job.attempt],
        ...[job.created_at, job.started_at, job.ended_at, job.duration, job.queue_time],
        ...[
          job.dry_run === true ? "true" : "",
          `${job.submitted_by.kind}:${job.submitted_by.name}`,
          job.device,
        ],
      ]
        .map(cell)
        .join(","),
    )
    .map((line) => line + newLine)
    .join("");
}

/** Lists show only the first line of the request. */
function shownWork({ command, config }: ListedJob): string {
  const work = command ?? config;
  return typeof work === "string" ? work : work === undefined ? "" : JSON.stringify(work);
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  return csvCell(value);
}
