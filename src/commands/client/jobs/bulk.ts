/** `patchbay bulk`: shows the counts and failures of a bulk; watches, cancels, retries or exports it. */
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { shownPieces } from "../../../base/text/terminal-text.ts";
import { idHint, idNamed } from "../../../client/input/ids.ts";
import { failedJobs } from "../../../client/output/failures.ts";
import { momentOf, timeHint } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import {
  type OverwriteFlag,
  overwriteHint,
  requireNew,
  streamOutput,
} from "../../../client/output/output-files.ts";
import { factsText, failuresText, summaryLine } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import {
  type Bulk,
  bulkList,
  bulkRecord,
  cancelledBulk,
  type EndedJob,
  type ListedBulk,
  submitted,
} from "../../../client/service/answers.ts";
import { type RetryFlags, retry } from "../../../client/service/retry.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import {
  clientCommand,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  withServer,
} from "../parts/action.ts";
import { type Columns, printList } from "../parts/lists.ts";
import { tellSubmitted } from "../parts/submit.ts";
import { checkResultFlags, type WatchFlags, watchBulks } from "../parts/watch.ts";
import { clockTime, submitterText } from "./jobs.ts";

interface BulkFlags extends ServerFlags, WatchFlags, RetryFlags {
  readonly follow?: boolean;
  readonly results?: boolean;
  readonly failed?: boolean;
  readonly cancel?: boolean;
  readonly retry?: boolean;
  readonly force?: boolean;
  readonly export?: string;
  readonly output?: string;
  readonly limit: string;
  readonly dryRun?: string;
  readonly submittedBy?: string;
  readonly since?: string;
  readonly until?: string;
}

const columns: Columns<ListedBulk> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  jobs: ({ total }) => String(total),
  failed: ({ counts }) => String(counts.failed),
  refused: ({ with_refusals }) => String(with_refusals),
  operation: ({ operation, dry_run }) => (dry_run === true ? `${operation}, dry run` : operation),
  label: ({ label }) => label ?? "",
  created: ({ created_at }) => clockTime(created_at),
  by: ({ submitted_by }) => submitterText(submitted_by),
};

const failureColumns: Columns<EndedJob> = {
  device: ({ device }) => device ?? "",
  host: ({ host }) => host,
  error: ({ result }) => result?.error?.type ?? "",
  outcome: ({ result }) => result?.error?.outcome ?? "",
  message: ({ result }) => result?.error?.message.split("\n")[0] ?? "",
};

/** The most that the service lists at once. */
const maxBulks = 500;
const moreBulks = (shown: number) =>
  shown < maxBulks
    ? `There are more: --limit ${Math.min(maxBulks, shown * 10)}`
    : "There are more: --since and --until choose others.";

export function defineBulk(parent: Command): void {
  const command = clientCommand(parent, "bulk", "show a bulk, or list bulks; exits with 1 if a job failed")
    .argument("[id]", idHint)
    .option("--follow", "follow it to its end")
    .option("--results", "with --follow: each result as it ends")
    .option("--failed", "all failed jobs with their errors, instead of the first ones")
    .option("--cancel", "cancel its queued and held jobs")
    .option("--retry", "retry what failed and follow that; asks for secrets again")
    .option("--only <which>", "with --retry: failed, cancelled or unfinished (both)")
    .option("--error-type <type...>", "with --retry: only jobs that failed with these error types")
    .option(
      "--outcome <outcome>",
      "with --retry: known (all but the pushes of unknown outcome), or unknown (only those; needs --force)",
    )
    .option(
      "--credential <name:reference>",
      "with --retry: a credential of the service in place of passwords",
    )
    .option("--no-password", "with --retry: ask for no secret")
    .option("--force", "with --cancel: also running jobs; with --retry: also pushes whose outcome is unknown")
    .option("--export <form>", "csv, jsonl or zip, a file for each device")
    .option("--output <file>", "where to write the export (default: standard output)")
    .option("--overwrite", overwriteHint)
    .option("--dry-run [true|false]", "without an id: only dry runs; false: no dry runs")
    .option(
      "--submitted-by <name>",
      "without an id: submitted by this key, person or schedule; also <kind>:<name>, or me: this key or its person",
    )
    .option("--since <time>", `without an id: submitted at or after: ${timeHint}`)
    .option("--until <time>", "without an id: submitted before, written likewise")
    .option("--limit <number>", "without an id: maximum number", "50")
    .option("--json", "as JSON, one object a line")
    .option("--csv", "results as comma-separated values")
    .option("--output-dir <folder>", "with --results: a file for each device");
  withServer(command).action((id: string | undefined, flags: BulkFlags) =>
    runToExit((surroundings) => showBulk(id, flags, surroundings)),
  );
}

async function showBulk(
  written: string | undefined,
  flags: BulkFlags,
  surroundings: Surroundings,
): Promise<number> {
  checkResultFlags(flags);
  const { follow, failed, cancel } = flags;
  const actions = [follow, failed, cancel, flags.retry, flags.export !== undefined];
  const chosenActions = actions.filter((flag) => flag === true);
  if (chosenActions.length > 1)
    throw new ServiceError(
      "Validation",
      "--follow, --failed, --cancel, --retry and --export cannot be combined.",
    );
  if (written === undefined && chosenActions.length > 0)
    throw new ServiceError("Validation", "The id of the bulk is missing.");
  const session = openSession(flags, surroundings);
  const { api, terminal } = session;
  const id = written === undefined ? undefined : await idNamed(api, "bulk", written);
  if (id === undefined) {
    const query = {
      limit: flags.limit,
      dry_run: flags.dryRun,
      submitted_by: flags.submittedBy,
      since: momentOf(flags.since),
      until: momentOf(flags.until),
    };
    const { data: bulks, cursor } = await api.page("/bulk", bulkList, { query });
    await printList(bulks, columns, flags, terminal);
    if (cursor !== undefined) terminal.note(moreBulks(bulks.length));
    return exitCodes.good;
  }
  if (flags.export !== undefined) return exportBulk(id, flags.export, flags, session);
  const path = `/bulk/${encodeURIComponent(id)}`;
  if (flags.cancel === true) {
    const query = { force: flags.force === true ? true : undefined };
    const { cancelled, stopping } = await api.call(path, cancelledBulk, { method: "DELETE", query });
    terminal.note(`${cancelled} cancelled${stopping > 0 ? `, ${stopping} asked to stop` : ""}.`);
    return exitCodes.good;
  }
  if (flags.retry === true) {
    const retried = await retry(`${path}/retry`, submitted, flags, session);
    tellSubmitted(retried, terminal);
    return watchBulks([retried.bulk_id], flags, session, true);
  }
  if (failed === true) {
    const jobs = await failedJobs(api, id);
    await printList(jobs, failureColumns, flags, terminal);
    return jobs.length > 0 ? exitCodes.failed : exitCodes.good;
  }
  const bulk = await api.call(path, bulkRecord);
  if (flags.follow === true) return watchBulks([id], flags, session, flags.results === true);
  await print(bulk, flags, session);
  return bulk.counts.failed + bulk.counts.cancelled > 0 ? exitCodes.failed : exitCodes.good;
}

async function print(bulk: Bulk, { json }: BulkFlags, { terminal }: Session): Promise<void> {
  if (json === true) return terminal.write(`${jsonLine(bulk)}\n`);
  const { id, status, driver, operation, label, ticket, created_at, error_types, first_failures } = bulk;
  const types = Object.entries(error_types)
    .map(([type, count]) => `${type} ${count}`)
    .sort();
  const facts = factsText([
    ["id", id],
    ["status", status],
    ["request", `${operation}, ${driver}`],
    ["dry run", bulk.dry_run === true ? "yes: it changes nothing on the devices" : ""],
    ["by", submitterText(bulk.submitted_by)],
    ["label", label ?? ""],
    ["ticket", ticket ?? ""],
    ["created", clockTime(created_at)],
    ["errors", types.join(", ")],
  ]);
  const failures = first_failures.map(({ error, ...device }) => ({
    ...device,
    result: { type: "failed" as const, retval: null, error },
  }));
  const table = failuresText(failures, terminal.columns, { total: bulk.counts.failed, bulks: [id] });
  await terminal.write(`${facts}${summaryLine(bulk)}\n${table === "" ? "" : `\n${table}`}`);
}

const forms = ["csv", "jsonl", "zip"];

/** @throws ServiceError Validation, NotFound, Unavailable; no partial file remains */
async function exportBulk(
  id: string,
  form: string,
  flags: { readonly output?: string } & OverwriteFlag,
  { api, terminal }: Session,
): Promise<number> {
  const { output: file } = flags;
  if (!forms.includes(form))
    throw new ServiceError("Validation", `--export must be one of ${forms.join(", ")}.`);
  if (file === undefined && form === "zip" && process.stdout.isTTY === true)
    throw new ServiceError(
      "Validation",
      "A zip archive cannot be written to a terminal: use --output <file>.",
    );
  requireNew(file, flags);
  const path = `/bulk/${encodeURIComponent(id)}/export`;
  const { body } = await api.stream(path, { query: { format: form } });
  if (!body) throw new ServiceError("BadRequest", "The export is empty.");
  if (file === undefined) {
    // At a terminal, escapes control characters.
    const read = Readable.from(process.stdout.isTTY === true ? shownPieces(body) : body);
    await pipeline(read, process.stdout, { end: false });
    return exitCodes.good;
  }
  await streamOutput(file, body);
  terminal.note(`${file} is written.`);
  return exitCodes.good;
}
