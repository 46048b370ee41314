/** `patchbay change`: drafts, plans, votes on, starts, follows, stops and returns changes. */
import type { Command } from "commander";
import { changeStates, targetStates } from "../../../api/changes/change.ts";
import { ServiceError } from "../../../base/errors.ts";
import { shown, shownPieces } from "../../../base/text/terminal-text.ts";
import { pause } from "../../../base/time/deadline.ts";
import { readObject } from "../../../client/input/input.ts";
import { plural, readInteger } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { streamOutput } from "../../../client/output/output-files.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import {
  type Change,
  type ChangeEffect,
  changeEffect,
  changeList,
  comparedChange,
  type OneChange,
  oneChange,
  pathOfChange,
  type Step,
  stepList,
  type Target,
  targetList,
} from "../../../client/rooms/changes.ts";
import type { Api } from "../../../client/service/api.ts";
import { listen } from "../../../client/service/events.ts";
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
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { defineRehearse, rehearsalText } from "./change-rehearse.ts";

interface WordFlags extends OneFlags {
  readonly note?: string;
  readonly follow?: boolean;
}
interface VoteFlags extends OneFlags {
  readonly note?: string;
  readonly hash?: string;
}
interface DiffFlags extends OneFlags {
  readonly onDevice?: boolean;
}
interface ReportFlags extends OneFlags {
  readonly html?: boolean;
  readonly output?: string;
}
interface ListFlags extends ServerFlags, FormFlags {
  readonly limit: string;
}

const columns: Columns<Change> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  name: ({ name }) => name,
  devices: ({ waves }) => String(waves.reduce((sum, count) => sum + count, 0)),
  wave: ({ wave, waves }) => (wave === 0 ? "" : `${wave} of ${waves.length}`),
  ticket: ({ ticket }) => ticket ?? "",
  by: ({ submitted_by }) => submitted_by.name,
  created: ({ created_at }) => clockTime(created_at),
};
const targetColumns: Columns<Target> = {
  wave: ({ wave }) => String(wave),
  device: ({ device }) => device,
  state: ({ state }) => state,
  reason: ({ reason }) => reason ?? "",
  before: ({ before_version }) => String(before_version ?? ""),
  after: ({ after_version }) => String(after_version ?? ""),
  job: ({ return_job_id, job_id }) => return_job_id ?? job_id ?? "",
};
const stepColumns: Columns<Step> = {
  at: ({ at }) => clockTime(at),
  what: ({ what }) => what,
  who: ({ who }) => who ?? "",
  detail: ({ detail }) => detail ?? "",
};

const good: readonly string[] = ["done"];
/** Where these words lead, if all goes well. */
const goodAfter: Readonly<Record<string, readonly string[]>> = {
  stop: ["stopped", "returned"],
  return: ["returned"],
};
/** It goes on by itself. */
const moving: readonly string[] = ["planning", "running", "stopping", "returning"];

export function defineChange(parent: Command): void {
  const command = parent
    .command("change")
    .description("pushes to many devices that are planned, voted on, rolled out in waves and returned");
  withLimit(withForms(withServer(clientCommand(command, "list", "list changes, newest first"))))
    .option("--state <state>", changeStates.join(", "))
    .action((flags: ListFlags & { readonly state?: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const query = { limit: readInteger(flags.limit, "--limit", 1, 500), state: flags.state };
        await printList(await api.call("/change", changeList, { query }), columns, flags, terminal);
      }),
    );
  withJson(clientCommand(command, "show <id>", "show a change with its plan and votes")).action(
    (id: string, flags: OneFlags) =>
      withApi(flags, async (session) =>
        show(await session.api.call(pathOfChange(id), oneChange), flags, session),
      ),
  );
  withJson(clientCommand(command, "draft <file>", "draft a change from a file (YAML, JSON, -)")).action(
    (file: string, flags: OneFlags) =>
      withApi(flags, async (session) => {
        const body = readObject(file);
        await show(await session.api.call("/change", oneChange, { method: "POST", body }), flags, session);
      }),
  );
  withJson(clientCommand(command, "edit <id> <file>", "replace what a change asks for")).action(
    (id: string, file: string, flags: OneFlags) =>
      withApi(flags, async (session) => {
        const body = readObject(file);
        await show(
          await session.api.call(pathOfChange(id), oneChange, { method: "PUT", body }),
          flags,
          session,
        );
      }),
  );
  withJson(clientCommand(command, "plan <id>", "plan a change, and show the plan")).action(
    (id: string, flags: OneFlags) =>
      withApi(flags, async (session) => {
        await session.api.call(pathOfChange(id, "/plan"), oneChange, { method: "POST" });
        const planned = await untilStill(id, session);
        await show(planned, flags, session);
        return planned.hash === null ? exitCodes.failed : exitCodes.good;
      }),
  );
  withJson(
    clientCommand(
      command,
      "diff <id> [device]",
      "what its lines would change: on one device, or the first of each group",
    ),
  )
    .option("--on-device", "asked of the device itself, by a dry run, where its driver lets it compare")
    .action((id: string, device: string | undefined, flags: DiffFlags) =>
      withApi(flags, (session) => diff(id, device, flags, session)),
    );
  defineRehearse(command);
  withJson(
    clientCommand(command, "vote <id> <verdict>", "approve or reject a plan, as a person; shows it first"),
  )
    .option("--hash <digits>", "the first digits of its hash, in place of the question at the terminal")
    .option("--note <text>", "why")
    .action((id: string, verdict: string, flags: VoteFlags) =>
      withApi(flags, (session) => vote(id, verdict, flags, session)),
    );
  for (const [word, about] of [
    ["start", "start an approved change"],
    ["resume", "go on, or begin the next wave"],
    ["stop", "stop it: nothing more is begun, and on_stop decides what devices keep"],
    ["return", "give devices back what they had before"],
  ] as const)
    withWord(clientCommand(command, `${word} <id>`, about))
      .option("--follow", "print what happens until it rests")
      .action((id: string, flags: WordFlags) => withApi(flags, (session) => say(word, id, flags, session)));
  for (const [word, about] of [
    ["pause", "bring to its end what has begun, and begin nothing"],
    ["cancel", "cancel one that has not started"],
  ] as const)
    withWord(clientCommand(command, `${word} <id>`, about)).action((id: string, flags: WordFlags) =>
      withApi(flags, (session) => say(word, id, flags, session)),
    );
  withServer(
    clientCommand(command, "follow <id>", "print what happens until it rests; 1 unless it is done"),
  ).action((id: string, flags: ServerFlags) => withApi(flags, (session) => follow(id, 0, session)));
  withServer(
    clientCommand(
      command,
      "report <id>",
      "write what was planned, who voted, and what became of each device",
    ),
  )
    .option("--html", "as a page, in place of Markdown")
    .option("--json", "as JSON")
    .option("-o, --output <file>", "into a file")
    .action((id: string, flags: ReportFlags) => withApi(flags, (session) => report(id, flags, session)));
  withLimit(withForms(withServer(clientCommand(command, "targets <id>", "list its devices"))))
    .option("--state <state>", targetStates.join(", "))
    .option("--wave <number>", "of this wave")
    .action((id: string, flags: ListFlags & { readonly state?: string; readonly wave?: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const { state, wave } = flags;
        const query = { limit: readInteger(flags.limit, "--limit", 1, 500), state, wave };
        const list = await api.call(pathOfChange(id, "/target"), targetList, { query });
        await printList(list, targetColumns, flags, terminal);
      }),
    );
  withLimit(withForms(withServer(clientCommand(command, "steps <id>", "list what happened")))).action(
    (id: string, flags: ListFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const query = { limit: readInteger(flags.limit, "--limit", 1, 500) };
        await printList(
          await api.call(pathOfChange(id, "/step"), stepList, { query }),
          stepColumns,
          flags,
          terminal,
        );
      }),
  );
}

function withWord(command: Command): Command {
  return withJson(command).option("--note <text>", "why");
}

function withLimit(command: Command): Command {
  return command.option("--limit <number>", "at most so many", "100");
}

export async function show(change: OneChange, { json }: OneFlags, { terminal }: Session): Promise<void> {
  if (json === true) return terminal.write(`${jsonLine(change)}\n`);
  await terminal.write(shown(changeText(change)));
}

function changeText(change: OneChange): string {
  const { approvals, waves, targets, groups, votes, warnings, sentinels, judged } = change;
  const counts = Object.entries(targets).flatMap(([state, count]) =>
    count > 0 ? [`${count} ${state}`] : [],
  );
  const facts: Record<string, string | undefined> = {
    id: change.id,
    name: change.name,
    state: change.reason === null ? change.state : `${change.state}: ${change.reason}`,
    ticket: change.ticket,
    by: change.submitted_by.name,
    revision:
      change.hash === null ? `${change.revision}, not planned` : `${change.revision}, hash ${change.hash}`,
    waves: waves.join(", "),
    devices: counts.join(", "),
    sentinels: sentinels.join(", "),
    approvals: `${approvals.given} of ${approvals.needed}`,
  };
  const lines = [
    factsText(Object.entries(facts).filter((fact): fact is [string, string] => !!fact[1])).trimEnd(),
  ];
  for (const group of groups) {
    const more = group.devices > group.first_devices.length ? ", …" : "";
    lines.push("", `${plural(group.devices, "device")}: ${group.first_devices.join(", ")}${more}`);
    lines.push(...group.lines.split("\n").map((line) => `  ${line}`));
    if (group.cut === true) lines.push("", "These are the first of the lines.");
  }
  if (judged !== null) {
    const where = judged.wave === 0 ? "before the first wave" : `after wave ${judged.wave}`;
    lines.push("", `gates ${where}: ${judged.verdict}`);
    lines.push(...judged.gates.map(({ gate, verdict, reason }) => `  ${gate}: ${verdict}: ${reason}`));
  }
  if (change.rehearsal !== null) lines.push("", ...rehearsalText(change.rehearsal));
  if (votes.length > 0) lines.push("");
  for (const { person, verdict, revision, note } of votes)
    lines.push(`vote of ${person}: ${verdict}, revision ${revision}${note === null ? "" : `: ${note}`}`);
  if (warnings.length > 0) lines.push("", ...warnings.map((warning) => `warning: ${warning}`));
  return `${lines.join("\n")}\n`;
}

async function diff(
  id: string,
  device: string | undefined,
  { json, onDevice }: DiffFlags,
  session: Session,
): Promise<number> {
  const { api, terminal } = session;
  const devices =
    device === undefined
      ? (await api.call(pathOfChange(id), oneChange)).groups.flatMap(({ first_devices }) =>
          first_devices.slice(0, 1),
        )
      : [device];
  let code: number = exitCodes.good;
  for (const name of devices) {
    const path = pathOfChange(id, `/target/${encodeURIComponent(name)}`);
    if (onDevice === true) {
      code = Math.max(code, await compare(name, path, json === true, session));
      continue;
    }
    const one = await api.call(`${path}/difference`, changeEffect);
    await terminal.write(json === true ? `${jsonLine(one)}\n` : shown(effectText(one)));
  }
  return code;
}

async function compare(
  name: string,
  path: string,
  isJson: boolean,
  { api, terminal }: Session,
): Promise<number> {
  const compared = await api.call(`${path}/compare`, comparedChange, { method: "POST" });
  const { job, warnings } = compared;
  for (const warning of warnings) terminal.note(`${name}: ${warning}`);
  if (isJson) await terminal.write(`${jsonLine(compared)}\n`);
  else if (job !== null) await terminal.write(`${name}: patchbay job ${job.id} --follow\n`);
  return job === null ? exitCodes.failed : exitCodes.good;
}

function effectText(effect: ChangeEffect): string {
  const { device, version, difference, why, added, removed, present, unclear, cut } = effect;
  if (difference === null) return `${device}: nothing can be said: ${why ?? ""}\n`;
  const counts = [
    `${added} added, ${removed} removed, ${present} there already`,
    ...(unclear > 0 ? [`${unclear} that remove what is not shown`] : []),
    ...(cut === true ? ["not all are shown"] : []),
  ];
  const lines = difference === "" ? [] : difference.split("\n").map((line) => `  ${line}`);
  return `${[`${device}, version ${version}: ${counts.join(", ")}`, ...lines].join("\n")}\n`;
}

/** Nobody votes on what they have not been shown. */
async function vote(id: string, word: string, flags: VoteFlags, session: Session): Promise<void> {
  const { api, terminal } = session;
  const verdict = ["approve", "reject"].find((one) => one === word);
  if (verdict === undefined) throw new ServiceError("Validation", "The verdict must be approve or reject.");
  const change = await api.call(pathOfChange(id), oneChange);
  const { hash, revision } = change;
  if (hash === null) throw new ServiceError("Validation", "The change is not planned.");
  if (flags.hash !== undefined) {
    if (flags.hash.length < 8 || !hash.startsWith(flags.hash.toLowerCase()))
      throw new ServiceError(
        "Validation",
        `--hash must be at least 8 first digits of the hash of revision ${revision}, which is another one: show the change again.`,
      );
  } else {
    if (!terminal.isAttended)
      throw new ServiceError("Validation", "A vote needs confirmation at a terminal: use --hash.");
    await show(change, {}, session);
    const answer = await terminal.ask(`${verdict} revision ${revision}? Type ${verdict}: `);
    if (answer.trim().toLowerCase() !== verdict) throw new ServiceError("Cancelled", "No vote was given.");
  }
  const body = { revision, hash, verdict, note: flags.note };
  const voted = await api.call(pathOfChange(id, "/vote"), oneChange, { method: "POST", body });
  if (flags.json === true) await terminal.write(`${jsonLine(voted)}\n`);
  else
    terminal.note(`${voted.name} is ${voted.state}: ${voted.approvals.given} of ${voted.approvals.needed}.`);
}

async function say(word: string, id: string, flags: WordFlags, session: Session): Promise<number> {
  const { api, terminal } = session;
  const steps = await api.call(pathOfChange(id, "/step"), stepList, { query: { limit: 500 } });
  const body = { note: flags.note };
  const change = await api.call(pathOfChange(id, `/${word}`), oneChange, { method: "POST", body });
  if (flags.json === true) await terminal.write(`${jsonLine(change)}\n`);
  else terminal.note(`${change.name} is ${change.state}.`);
  return flags.follow === true
    ? follow(id, steps.at(-1)?.n ?? 0, session, [], goodAfter[word])
    : exitCodes.good;
}

export async function untilStill(id: string, { api }: Session): Promise<OneChange> {
  const interrupted = untilInterrupted();
  const news = hearChange(api, id, interrupted);
  try {
    for (;;) {
      const change = await api.call(pathOfChange(id), oneChange);
      if (!moving.includes(change.state)) return change;
      await news.next();
    }
  } finally {
    await news.stop();
  }
}

/**
 * @param after a step that was printed before
 * @param also further states in which it does not rest
 * @param wanted states in which it rests well
 */
export async function follow(
  id: string,
  after: number,
  { api, terminal }: Session,
  also: readonly string[] = [],
  wanted: readonly string[] = good,
): Promise<number> {
  const interrupted = untilInterrupted();
  const news = hearChange(api, id, interrupted);
  try {
    for (let cursor = after; ; ) {
      const change = await api.call(pathOfChange(id), oneChange);
      const query = { cursor: String(cursor), limit: 500 };
      for (const { n, at, what, who, detail } of await api.call(pathOfChange(id, "/step"), stepList, {
        query,
      })) {
        const by = who === null ? "" : ` by ${who}`;
        const more = detail === null ? "" : `: ${detail}`;
        await terminal.write(shown(`${clockTime(at)}  ${what}${by}${more}\n`));
        cursor = n;
      }
      if (![...moving, ...also].includes(change.state)) {
        terminal.note(
          `${change.name} is ${change.state}${change.reason === null ? "" : `: ${change.reason}`}.`,
        );
        return wanted.includes(change.state) ? exitCodes.good : exitCodes.failed;
      }
      await news.next();
    }
  } finally {
    await news.stop();
  }
}

async function report(id: string, flags: ReportFlags, { api, terminal }: Session): Promise<void> {
  const form = flags.json === true ? "" : flags.html === true ? ".html" : ".md";
  const { body } = await api.stream(pathOfChange(id, `/report${form}`));
  if (body === null) return;
  if (flags.output !== undefined) return streamOutput(flags.output, body);
  for await (const text of shownPieces(body)) await terminal.write(text);
}

/** Without an event. Until the first one has come, the stream may have begun after what it would tell. */
const look = { firstMs: 1_000, mostMs: 15_000 } as const;
/** Several steps are one look. */
const soonMs = 50;

/** Waits for the next step of a change, by its events; looks now and then where they do not arrive. */
interface ChangeNews {
  /** Resolves when something has happened since the last call, or after a while. Throws the reason of the signal. */
  next(): Promise<void>;
  stop(): Promise<void>;
}

function hearChange(api: Api, id: string, signal: AbortSignal): ChangeNews {
  const stop = new AbortController();
  let ring = () => {};
  let lookMs: number = look.firstMs;
  let rung = new Promise<void>((resolve) => (ring = resolve));
  const listening = listen(api, `/change/${encodeURIComponent(id)}/events`, stop.signal, () => {
    lookMs = look.mostMs;
    ring();
  });
  return {
    async next() {
      const looked = new AbortController();
      await Promise.race([rung, pause(lookMs, AbortSignal.any([signal, looked.signal]))]);
      looked.abort();
      lookMs = Math.min(look.mostMs, lookMs * 2);
      signal.throwIfAborted();
      await pause(soonMs, signal);
      rung = new Promise<void>((resolve) => (ring = resolve));
    },
    async stop() {
      stop.abort();
      await listening;
    },
  };
}
