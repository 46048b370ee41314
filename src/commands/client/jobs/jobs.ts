/** `patchbay jobs`: lists jobs. */
import type { Command } from "commander";
import { requestLine } from "../../../base/text/request-line.ts";
import { idNamed } from "../../../client/input/ids.ts";
import { momentOf, readInteger, timeHint } from "../../../client/output/numbers.ts";
import { type Job, jobList, type Submitter } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface JobsFlags extends ServerFlags, FormFlags {
  readonly status?: string;
  readonly host?: string;
  readonly queue?: string;
  readonly driver?: string;
  readonly bulk?: string;
  readonly operation?: string;
  readonly dryRun?: string;
  readonly submittedBy?: string;
  readonly errorType?: string;
  readonly label?: string;
  readonly ticket?: string;
  readonly tag?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

const heads: Columns<Job> = { id: ({ id }) => id, status: statusOf };
const device = ({ device }: Job) => device ?? "";
const by = ({ submitted_by }: Job) => submitterText(submitted_by);
const otherColumns: Columns<Job> = {
  host: ({ host }) => host,
  request: ({ command, config, dry_run }) => markedDryRun(firstLine(command ?? config), dry_run),
  created: ({ created_at }) => clockTime(created_at),
  seconds: ({ duration }) => (duration === null ? "" : duration.toFixed(2)),
  error: ({ result }) => result?.error?.type ?? "",
};
/** For programs: in the text for people, a dry run is marked where its lines are. */
const csvColumns: Columns<Job> = {
  ...otherColumns,
  request: ({ command, config }) => firstLine(command ?? config),
  device,
  dry_run: ({ dry_run }) => (dry_run === true ? "true" : ""),
  submitted_by: ({ submitted_by }) => submitterText(submitted_by),
};

export function defineJobs(parent: Command): void {
  const command = clientCommand(parent, "jobs", "list jobs, newest first")
    .option("--status <status>", "queued, held, running, finished, failed or cancelled")
    .option("--host <host>", "of one device, by its name or address")
    .option("--queue <queue>", "of one queue: fifo, or pinned_<host> of one device")
    .option("--driver <name>", "of one driver")
    .option("--bulk <id>", "of one bulk")
    .option("--operation <operation>", "query (commands) or config (pushes)")
    .option("--dry-run [true|false]", "only dry runs; false: no dry runs")
    .option(
      "--submitted-by <name>",
      "submitted by this key, person or schedule; also <kind>:<name>, or me: this key or its person",
    )
    .option("--error-type <type>", "with this error type, such as AuthenticationFailed")
    .option("--label <text>", "with that label")
    .option("--ticket <text>", "of that ticket")
    .option("--tag <text>", "with that tag")
    .option("--since <time>", `created at or after: ${timeHint}`)
    .option("--until <time>", "created before, written likewise")
    .option("--limit <number>", "maximum number", "50");
  withForms(withServer(command)).action((flags: JobsFlags) =>
    runToExit((surroundings) => listJobs(flags, surroundings)),
  );
}

async function listJobs(flags: JobsFlags, surroundings: Surroundings): Promise<number> {
  const limit = readInteger(flags.limit, "--limit", 1, 100_000);
  const { api, terminal } = openSession(flags, surroundings);
  const filter = {
    status: flags.status,
    host: flags.host,
    queue: flags.queue,
    driver: flags.driver,
    bulk_id: flags.bulk && (await idNamed(api, "bulk", flags.bulk)),
    operation: flags.operation,
    dry_run: flags.dryRun,
    submitted_by: flags.submittedBy,
    error_type: flags.errorType,
    label: flags.label,
    ticket: flags.ticket,
    tag: flags.tag,
    since: momentOf(flags.since),
    until: momentOf(flags.until),
  };
  const jobs: Job[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: Math.min(500, limit - jobs.length), cursor };
    const page = await api.page("/job", jobList, { query });
    jobs.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== undefined && jobs.length < limit);
  const named: Columns<Job> = jobs.some((job) => device(job) !== "") ? { device } : {};
  // CSV always has the same columns, for programs.
  const columns =
    flags.csv === true ? { ...heads, ...csvColumns } : { ...heads, ...named, ...otherColumns, by };
  await printList(jobs, columns, flags, terminal);
  if (cursor !== undefined) terminal.note(`There are more: --limit ${limit * 10}`);
  return 0;
}

export function statusOf({ status, held }: Pick<Job, "status" | "held">): string {
  return held === true ? "held" : status;
}

/** `nightly (schedule)`; of a key only its name. */
export function submitterText(submitter: Submitter | null | undefined): string {
  if (!submitter) return "";
  return submitter.kind === "key" ? submitter.name : `${submitter.name} (${submitter.kind})`;
}

/** A dry run must not look like a push. */
export function markedDryRun(text: string, dryRun: boolean | undefined): string {
  return dryRun === true ? `(dry run) ${text}` : text;
}

/** The first line of the request, for lists. */
export function firstLine(request: unknown): string {
  const text = Array.isArray(request) ? request.map(lineOf).join(" | ") : lineOf(request);
  return requestLine(text.split("\n")[0] ?? "");
}

function lineOf(request: unknown): string {
  if (typeof request === "string") return request;
  if (typeof request === "object" && request !== null && "send" in request) return String(request.send);
  return request === undefined ? "" : JSON.stringify(request);
}

/** The time of the service, to the second. */
export function clockTime(iso: string | null | undefined): string {
  return iso?.replace(/\.\d+/, "").replace("T", " ") ?? "";
}
