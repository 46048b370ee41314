/** `patchbay job`: shows a job, follows its live output, cancels or retries it. */
import type { Command } from "commander";
import { isFinal } from "../../../api/jobs/job.ts";
import { ServiceError } from "../../../base/errors.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { pause } from "../../../base/time/deadline.ts";
import { idHint, idNamed } from "../../../client/input/ids.ts";
import { exitCodeOf } from "../../../client/output/outcome.ts";
import { adviceLine, factsText } from "../../../client/output/progress.ts";
import { createResultWriter } from "../../../client/output/results.ts";
import { jsonLine } from "../../../client/output/table.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { ids, type Job, jobList, readJobEvent, ticket, transcript } from "../../../client/service/answers.ts";
import type { Api } from "../../../client/service/api.ts";
import { listen } from "../../../client/service/events.ts";
import { type RetryFlags, retry } from "../../../client/service/retry.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import {
  clientCommand,
  noteWarnings,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  untilInterrupted,
  withServer,
} from "../parts/action.ts";
import { clockTime, firstLine, statusOf, submitterText } from "./jobs.ts";

interface JobFlags extends ServerFlags, RetryFlags {
  readonly follow?: boolean;
  readonly cancel?: boolean;
  readonly retry?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly sent?: boolean;
}

/** Poll interval, in addition to events. */
const lookMs = 1_000;

export function defineJob(parent: Command): void {
  const command = clientCommand(parent, "job", "show one job; exits with 1 if it failed")
    .argument("<id>", idHint)
    .option("--follow", "follow its live output to its end")
    .option("--cancel", "cancel it while it is queued")
    .option("--retry", "retry it and follow that; asks for secrets again")
    .option(
      "--credential <name:reference>",
      "with --retry: a credential of the service in place of passwords",
    )
    .option("--no-password", "with --retry: ask for no secret")
    .option("--force", "with --cancel: also while it runs; with --retry: though its outcome is not known")
    .option("--sent", "what a push sent to the device, and what it answered; kept as long as the audit trail")
    .option("--json", "the record, or with --sent what was sent, as JSON");
  withServer(command).action((id: string, flags: JobFlags) =>
    runToExit((surroundings) => showJob(id, flags, surroundings)),
  );
}

async function showJob(written: string, flags: JobFlags, surroundings: Surroundings): Promise<number> {
  const { follow, cancel, sent } = flags;
  if ([follow, cancel, flags.retry, sent].filter((flag) => flag === true).length > 1)
    throw new ServiceError("Validation", "--follow, --cancel, --retry and --sent cannot be combined.");
  const session = openSession(flags, surroundings);
  const { api, terminal } = session;
  const id = await idNamed(api, "job", written);
  if (flags.cancel === true) {
    const query = { id, force: flags.force === true ? true : undefined };
    await api.call("/job", ids, { method: "DELETE", query });
    terminal.note(flags.force === true ? "It was cancelled, or asked to stop." : "It is cancelled.");
    return 0;
  }
  if (sent === true) return printSent(id, flags, session);
  const job =
    flags.retry === true
      ? await followed(await retryJob(id, flags, session), session)
      : flags.follow === true
        ? await followed(id, session)
        : await read(api, id);
  await print(job, flags, terminal);
  // A job that has not ended has not failed.
  return isFinal(job.status) ? exitCodeOf([job]) : 0;
}

async function printSent(id: string, { json }: JobFlags, { api, terminal }: Session): Promise<number> {
  const sent = await api.call(`/job/${encodeURIComponent(id)}/sent`, transcript);
  if (json === true) {
    await terminal.write(`${jsonLine(sent)}\n`);
    return 0;
  }
  const { host, lines, dialogue, difference, cut, sha256 } = sent;
  const parts: [string, string][] = [
    [`sent to ${host}`, lines.join("\n") + (cut === true ? "\n… and more" : "")],
    ["answered", dialogue ?? "not known: the worker was lost"],
    ["difference", difference ?? ""],
    ["sha256", sha256],
  ];
  const shownParts = parts.filter(([, text]) => text !== "");
  await terminal.write(
    shownParts
      .map(([name, text]) => `${terminal.paint("bold", shown(`--- ${name}`))}\n${shown(text)}\n`)
      .join(""),
  );
  return 0;
}

/** @returns the id of the new job */
async function retryJob(id: string, flags: JobFlags, session: Session): Promise<string> {
  const newJob = await retry(`/job/${encodeURIComponent(id)}/retry`, ticket, flags, session);
  session.terminal.note(`Job ${newJob.id}.`);
  return newJob.id;
}

async function read(api: Api, id: string): Promise<Job> {
  const [job] = await api.call("/job", jobList, { query: { id }, patient: false });
  if (!job) throw new ServiceError("NotFound", `There is no job ${id}.`);
  return job;
}

async function print(job: Job, { json }: JobFlags, terminal: Terminal): Promise<void> {
  if (json === true) return terminal.write(`${jsonLine(job)}\n`);
  const facts = factsText([
    ["id", job.id],
    ["status", statusOf(job)],
    ["device", job.device ?? ""],
    ["host", job.host],
    ["driver", [job.driver, job.device_type].filter(Boolean).join(", ")],
    [job.operation === "config" ? "config" : "command", firstLine(job.command ?? job.config)],
    ["dry run", job.dry_run === true ? "yes: it changes nothing on the device" : ""],
    ["by", submitterText(job.submitted_by)],
    ["label", job.label ?? ""],
    ["ticket", job.ticket ?? ""],
    ["bulk", job.bulk_id ?? ""],
    ["queue", job.queue],
    ["worker", job.worker ?? ""],
    ["created", clockTime(job.created_at)],
    ["started", clockTime(job.started_at)],
    ["ended", clockTime(job.ended_at)],
    ["attempt", String(job.attempt)],
    ["waits for", waitText(job)],
  ]);
  await terminal.write(facts);
  if (!isFinal(job.status)) {
    noteWarnings(terminal, job.warnings);
    return;
  }
  await terminal.write("\n");
  await createResultWriter(terminal, { form: "text" }).write(job);
  await terminal.write(adviceLine(job.result?.error?.type ?? ""));
}

function waitText({ waits_for }: Job): string {
  if (!waits_for) return "";
  return waits_for.until ? `${waits_for.reason}, until ${clockTime(waits_for.until)}` : waits_for.reason;
}

/** @throws Interrupted */
async function followed(id: string, { api, terminal }: Session): Promise<Job> {
  const signal = untilInterrupted();
  const stop = new AbortController();
  const first = await read(api, id);
  let lastStatus = "";
  const state = (status: string) => {
    if (status !== lastStatus) terminal.note(`${status} …`);
    lastStatus = status;
  };
  if (!isFinal(first.status)) state(first.status);
  const listening = listen(api, `/job/${encodeURIComponent(id)}/events`, stop.signal, (event, data) => {
    const { status, said, moved } = readJobEvent(event, data);
    if (status !== undefined && isFinal(status)) stop.abort();
    else if (status !== undefined) state(status);
    if (said !== undefined) void terminal.write(shown(said));
    if (moved) terminal.progress(`${moved.bytes_transferred} of ${moved.total_bytes} bytes`);
  });
  try {
    for (;;) {
      const [job] = await api.call("/job", jobList, { query: { id }, patient: true, signal });
      if (!job) throw new ServiceError("NotFound", `There is no job ${id}.`);
      if (isFinal(job.status)) return job;
      await Promise.race([
        pause(lookMs, signal),
        listening.then(() => pause(stop.signal.aborted ? 0 : lookMs)),
      ]);
      signal.throwIfAborted();
    }
  } finally {
    stop.abort();
    terminal.progress(undefined);
    if (signal.aborted) terminal.note(`The job continues. Follow it with: patchbay job ${id} --follow`);
  }
}
