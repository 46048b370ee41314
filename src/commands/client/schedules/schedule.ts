/** `patchbay schedule`: lists, shows, creates, edits, pauses, resumes, runs and removes schedules. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { scheduleLimits, schedulePreview } from "../../../api/schedules/schedule.ts";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { pause } from "../../../base/time/deadline.ts";
import { readObject } from "../../../client/input/input.ts";
import { plural } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine, tableText } from "../../../client/output/table.ts";
import {
  changesBetween,
  changesByFlags,
  contentFacts,
  editableText,
  type Firing,
  firingList,
  oneFiring,
  oneSchedule,
  resultText,
  type Schedule,
  type ScheduleFlags,
  scheduleBody,
  scheduleList,
} from "../../../client/rooms/schedules.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import {
  clientCommand,
  type OneFlags,
  type Session,
  untilInterrupted,
  withApi,
  withJson,
  withServer,
} from "../parts/action.ts";
import {
  type Columns,
  type FormFlags,
  printList,
  type WriterFlag,
  withForms,
  withWriter,
} from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";
import { type WatchFlags, watchBulks } from "../parts/watch.ts";

const columns: Columns<Schedule> = {
  name: ({ name }) => name,
  state: ({ state }) => state,
  when: whenOf,
  what: ({ what }) => what.source ?? what.kind ?? "",
  next: ({ next }) => clockTime(next[0]),
  last: ({ last }) => (last === null ? "" : lastText(last)),
  owner: ({ owner }) => owner.name,
};
const firingColumns: Columns<Firing> = {
  due: ({ due_at }) => clockTime(due_at),
  status: ({ status }) => status,
  bulk: ({ bulk_id }) => bulk_id ?? "",
  result: (firing) => resultText(firing) || (firing.reason ?? ""),
};
const shownFirings = 20;
const pathOf = (name: string, step = "") => `/schedule/${encodeURIComponent(name)}${step}`;

type ListFlags = ServerFlags & FormFlags & WriterFlag;

export function defineSchedule(parent: Command): void {
  const command = parent.command("schedule").description("requests that run automatically at given times");
  withForms(withWriter(withServer(clientCommand(command, "list", "list schedules, newest first")))).action(
    (flags: ListFlags) => withApi(flags, (session) => list(flags, session)),
  );
  withJson(
    clientCommand(command, "show <name>", "show a schedule with its request, its next times and its history"),
  ).action((name: string, flags: OneFlags) => withApi(flags, (session) => show(name, flags, session)));
  withJson(
    withFields(
      clientCommand(command, "add [file]", "create a schedule, from a file (YAML, JSON, -) or flags"),
    ),
  ).action((file: string | undefined, flags: OneFlags & ScheduleFlags) =>
    withApi(flags, (session) => add(file, flags, session)),
  );
  withJson(
    withFields(clientCommand(command, "next [file]", "show when it would fire, without creating it")),
  ).action((file: string | undefined, flags: OneFlags & ScheduleFlags) =>
    withApi(flags, (session) => preview(file, flags, session)),
  );
  for (const [step, about] of [
    ["pause", "pause a schedule until it is resumed"],
    ["resume", "resume a schedule from now on"],
  ] as const)
    withJson(clientCommand(command, `${step} <name>`, about)).action((name: string, flags: OneFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const schedule = await api.call(pathOf(name, `/${step}`), oneSchedule, { method: "POST" });
        if (flags.json === true) await terminal.write(`${jsonLine(schedule)}\n`);
        else terminal.note(`${schedule.name} is ${schedule.state}.`);
      }),
    );
  withJson(
    withFields(
      clientCommand(command, "edit <name>", "change what the flags name; without any, in $VISUAL or $EDITOR"),
    ),
  ).action((name: string, flags: OneFlags & ScheduleFlags) =>
    withApi(flags, (session) => edit(name, flags, session)),
  );
  withForms(
    withServer(
      clientCommand(
        command,
        "run <name>",
        "fire a schedule now, in addition to its times; prints the bulk's id",
      ),
    ),
  )
    .option("--follow", "print each result as it ends")
    .option("--output-dir <folder>", "with --follow: a file for each device")
    .action((name: string, flags: RunScheduleFlags & ServerFlags) =>
      withApi(flags, (session) => runSchedule(pathOf(name), flags, session)),
    );
  const remove = clientCommand(
    command,
    "remove <name>",
    "remove a schedule with its history, after confirmation",
  );
  defineRemoval(remove, { path: pathOf });
}

function withFields(command: Command): Command {
  return command
    .option("--name <name>", "its name")
    .option("--cron <expression>", "five fields, such as '30 2 * * 1-5'")
    .option("--time-zone <zone>", "of --cron, such as Europe/Berlin")
    .option("--every <time>", "90s, 15m, 6h, 1d")
    .option("--at <time>", "once: 2026-01-31T02:00:00+01:00")
    .option("--jitter <seconds>", "random delay of each firing, at most")
    .option("--not-after <time>", "no firing after this time")
    .option("--window <window...>", "'Mon-Fri 22:00-05:00 Europe/Berlin'")
    .option("--overlap <policy>", "skip, queue or replace")
    .option("--missed <policy>", "skip, once or all")
    .option("--label <text>", "label of the jobs it submits")
    .option("--ticket <text>", "ticket number of the jobs it submits")
    .option("--driver <name>", "driver of the request, such as netmiko")
    .option("--platform <name>", "device_type of the request")
    .option("--select <selector>", "devices of the inventory")
    .option("--host <host...>", "devices by host")
    .option("--credential <name:reference>", "a credential of the service")
    .option("--command <command...>", "a query: commands to run")
    .option("--config-file <file>", "a push: file with the configuration lines")
    .option("--take", "read the configurations of the devices of --select into the history")
    .option("--sync <source>", "sync this inventory source");
}

async function list(flags: ListFlags, { api, terminal }: Session): Promise<void> {
  const schedules: Schedule[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.page("/schedule", scheduleList, {
      query: { limit: 500, cursor, submitted_by: flags.submittedBy },
    });
    schedules.push(...page.data);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  await printList(schedules, columns, flags, terminal);
}

async function show(name: string, { json }: OneFlags, session: Session): Promise<void> {
  const { api, terminal } = session;
  const [schedule, firings] = [
    await api.call(pathOf(name), oneSchedule),
    // All that are kept.
    await api.call(pathOf(name, "/firing"), firingList, { query: { limit: scheduleLimits.firings } }),
  ];
  if (json === true) return terminal.write(`${jsonLine({ ...schedule, firings })}\n`);
  await terminal.write(factsOf(schedule));
  if (firings.length === 0) return;
  const latest = firings.slice(0, shownFirings);
  const rows = latest.map((firing) => Object.values(firingColumns).map((cell) => cell(firing)));
  await terminal.write(`\n${tableText(Object.keys(firingColumns), rows, terminal.columns)}`);
  if (firings.length > latest.length)
    terminal.note(`The latest ${latest.length} of ${plural(firings.length, "firing")}.`);
}

async function add(
  file: string | undefined,
  flags: OneFlags & ScheduleFlags,
  session: Session,
): Promise<void> {
  const { api, terminal } = session;
  const body = scheduleBody(file, flags);
  const schedule = await api.call("/schedule", oneSchedule, { method: "POST", body });
  await terminal.write(flags.json === true ? `${jsonLine(schedule)}\n` : factsOf(schedule));
}

async function preview(
  file: string | undefined,
  flags: OneFlags & ScheduleFlags,
  session: Session,
): Promise<void> {
  const { api, terminal } = session;
  const named = { name: "preview", ...scheduleBody(file, flags) };
  // A placeholder: the times do not depend on the request.
  const body = { what: { kind: "query", request: anyRequest }, ...named };
  const { next } = await api.call("/schedule/preview", schedulePreview, { method: "POST", body });
  const lines = next.map((time) => `${clockTime(time)}\n`).join("");
  await terminal.write(flags.json === true ? `${jsonLine({ next })}\n` : lines);
}

const anyRequest = { command: "show version", select: "all" };

async function edit(name: string, flags: OneFlags & ScheduleFlags, session: Session): Promise<void> {
  const { terminal } = session;
  const changed = await editSchedule(pathOf(name), flags, session);
  if (changed === undefined) return terminal.note("Nothing was changed.");
  await terminal.write(flags.json === true ? `${jsonLine(changed)}\n` : factsOf(changed));
}

/** `2026-01-31 02:00:00 submitted: 12 finished, 2 failed`; the reason if nothing was submitted. */
function lastText(last: Firing): string {
  const became = resultText(last) || last.reason;
  return `${clockTime(last.due_at)} ${last.status}${became ? `: ${became}` : ""}`;
}

function whenOf({ cron, time_zone, every, at }: Schedule): string {
  if (cron !== undefined) return `${cron} ${time_zone ?? ""}`.trim();
  return every === undefined ? clockTime(at) : `every ${every}`;
}

function factsOf(schedule: Schedule): string {
  const { id, name, state, why, what, window, overlap, missed, owner, next, last } = schedule;
  return factsText([
    ["id", id],
    ["name", name],
    ["state", why === undefined ? state : `${state}: ${why}`],
    ["when", whenOf(schedule)],
    ["window", (window ?? []).join(", ")],
    ["overlap", overlap ?? ""],
    ["missed", missed?.policy ?? ""],
    ["owner", owner.name],
    ...contentFacts(what),
    ["next", next.slice(0, 10).map(clockTime).join("\n")],
    ["last", last === null ? "not fired yet" : lastText(last)],
    ["bulk", last?.bulk_id ?? ""],
  ]);
}

interface RunScheduleFlags extends WatchFlags {
  readonly follow?: boolean;
}

const firstLookMs = 50;
const maxLookMs = 1_000;
/** How long the id of a bulk is awaited; following waits without a limit. */
const idMs = 60_000;
const recent = 20;

/** @returns the exit code */
async function runSchedule(path: string, flags: RunScheduleFlags, session: Session): Promise<number> {
  const { api, terminal } = session;
  const asked = await api.call(`${path}/run`, oneFiring, { method: "POST" });
  const firing = await submittedOf(path, asked, flags.follow === true, session);
  const { bulk_id: bulk, status, reason } = firing;
  const isFailed = !["submitted", "done", "submitting", "waiting"].includes(status);
  if (flags.follow === true && bulk !== undefined) {
    terminal.note(`Bulk ${bulk}.`);
    return watchBulks([bulk], flags, session, true);
  }
  if (flags.json === true) await terminal.write(`${jsonLine(firing)}\n`);
  else {
    terminal.note(`${clockTime(firing.due_at)}: ${status}${reason ? ` (${reason})` : ""}.`);
    if (bulk !== undefined) await terminal.write(`${bulk}\n`);
  }
  return isFailed ? exitCodes.failed : exitCodes.good;
}

/** Waits until it has been submitted or refused; one that waits for the firing before it only if `patient`. */
async function submittedOf(path: string, asked: Firing, patient: boolean, { api }: Session): Promise<Firing> {
  const signal = untilInterrupted();
  const until = performance.now() + idMs;
  let firing = asked;
  for (let lookMs = firstLookMs; ; lookMs = Math.min(maxLookMs, lookMs * 2)) {
    const isOpen = firing.status === "submitting" || (patient && firing.status === "waiting");
    if (!isOpen || (!patient && performance.now() > until)) return firing;
    await pause(lookMs, signal);
    const query = { limit: recent };
    const firings = await api.call(`${path}/firing`, firingList, { query, patient: true, signal });
    firing = firings.find(({ due_at }) => due_at === asked.due_at) ?? firing;
  }
}

/** @returns the changed schedule; undefined: nothing was changed. @throws ServiceError */
async function editSchedule(
  path: string,
  flags: ScheduleFlags,
  session: Session,
): Promise<Schedule | undefined> {
  const { api } = session;
  const before = await api.call(path, oneSchedule);
  const send = (body: object) =>
    api.call(path, oneSchedule, {
      method: "PATCH",
      body,
      headers: { "If-Match": `"${before.revision}"` },
    });
  const byFlags = changesByFlags(before, flags);
  if (Object.keys(byFlags).length > 0) return send(byFlags);
  if (!session.terminal.isAttended)
    throw new ServiceError(
      "Validation",
      "Name what to change, such as --cron '0 3 * * *': there is no terminal.",
    );
  return inEditor(before, send, session);
}

/** A refused text stays in its file, so that no work is lost. */
async function inEditor(
  before: Schedule,
  send: (body: object) => Promise<Schedule>,
  { environment }: Session,
): Promise<Schedule | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-edit-"));
  const file = join(folder, "schedule.json");
  const drop = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(file, editableText(before), { mode: 0o600 });
  try {
    // The variable holds a command line, as for git.
    const command = `${environment.editor ?? "vi"} "$1"`;
    const { status } = spawnSync("/bin/sh", ["-c", command, "sh", file], { stdio: "inherit" });
    if (status !== 0) throw new ServiceError("Cancelled", "The editor failed: nothing was changed.");
    const changes = changesBetween(before, readObject(file));
    const after = Object.keys(changes).length === 0 ? undefined : await send(changes);
    drop();
    return after;
  } catch (error) {
    const kind = error instanceof ServiceError ? error.kind : "Internal";
    throw new ServiceError(kind, `${messageOf(error)} Your text is in ${file}.`);
  }
}
