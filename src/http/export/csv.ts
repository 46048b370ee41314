/** Jobs as CSV, a row per output; no cell can be evaluated as a formula by a spreadsheet. */

import type { ListedJob } from "../../api/jobs/job.ts";
import { csvCell } from "../../base/text/csv-cell.ts";
import { type JobOutputs, outputsOf } from "./outputs.ts";

type Cell = string | number | null | undefined;

/** The columns in their order; `undefined` is an empty cell. */
const columns: Readonly<
  Record<string, (job: ListedJob, output: Output, error: JobOutputs["error"]) => Cell>
> = {
  host: ({ host }) => host,
  device_type: ({ device_type }) => device_type,
  driver: ({ driver }) => driver,
  operation: ({ operation }) => operation,
  status: ({ status }) => status,
  error_type: (_job, _output, error) => error?.type,
  error_message: (_job, _output, error) => error?.message,
  command: (_job, { command }) => command,
  output: (_job, { text }) => text,
  job_id: ({ id }) => id,
  bulk_id: ({ bulk_id }) => bulk_id,
  label: ({ label }) => label,
  ticket: ({ ticket }) => ticket,
  tags: ({ tags }) => tags?.join(" "),
  attempt: ({ attempt }) => attempt,
  created_at: ({ created_at }) => created_at,
  started_at: ({ started_at }) => started_at,
  ended_at: ({ ended_at }) => ended_at,
  duration: ({ duration }) => duration,
  queue_time: ({ queue_time }) => queue_time,
  dry_run: ({ dry_run }) => (dry_run === true ? "true" : ""),
  submitted_by: ({ submitted_by: { kind, name } }) => `${kind}:${name}`,
  device: ({ device }) => device,
};
const values = Object.values(columns);

interface Output {
  readonly command: string;
  readonly text: string;
}

/** Line ends as required by RFC 4180. */
const newLine = "\r\n";

export const csvHead = Object.keys(columns).join(",") + newLine;

export function csvOf(job: ListedJob): string {
  const { outputs, error } = outputsOf(job);
  const rows = outputs.length > 0 ? outputs : [{ command: shownWork(job), text: "" }];
  return rows
    .map((output) => values.map((read) => cell(read(job, output, error))).join(",") + newLine)
    .join("");
}

/** Lists show only the first line of the request. */
function shownWork({ command, config }: ListedJob): string {
  const work = command ?? config;
  return typeof work === "string" ? work : work === undefined ? "" : JSON.stringify(work);
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  return csvCell(value);
}
