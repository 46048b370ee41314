/** `patchbay history`: takes configurations of devices, and reads, compares and searches their versions. */
import type { Command } from "commander";
import { historyLimits } from "../../../api/history/history.ts";
import { ServiceError } from "../../../base/errors.ts";
import { shownPieces } from "../../../base/text/terminal-text.ts";
import {
  blameText,
  countsOf,
  matchText,
  personOf,
  sideText,
  standingOf,
  structuredText,
  takenText,
  unifiedText,
} from "../../../client/output/history.ts";
import { momentOf, plural, readInteger, timeHint } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine, jsonLines } from "../../../client/output/table.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import {
  blame,
  type DeviceHistory,
  difference,
  eachPage,
  historyOfDevice,
  historyPath,
  type Match,
  match,
  notice,
  oneText,
  type RecordSchema,
  type Version,
  version,
} from "../../../client/rooms/history.ts";
import { anything } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, type OneFlags, type Session, withApi, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { confirmRemoval, type RemovalFlags, withConfirmation } from "../parts/removal.ts";
import { submitBulks } from "../parts/submit.ts";
import { watchBulks } from "../parts/watch.ts";
import { defineImport } from "./history-import.ts";
import { defineRemote } from "./history-remote.ts";
import { defineRestore } from "./history-restore.ts";

type PartFlag = { readonly part?: string };
type ListFlags = ServerFlags & FormFlags & { readonly limit: string };

const deviceColumns: Columns<DeviceHistory> = {
  device: ({ device }) => device,
  platform: ({ platform }) => platform ?? "",
  versions: ({ versions }) => String(versions),
  changed: ({ latest }) => clockTime(latest?.taken_at),
  "last read": ({ last_good_at }) => clockTime(last_good_at),
  lines: ({ latest }) => String(latest?.lines ?? ""),
  state: standingOf,
};
const changeCells: Columns<Version> = {
  change: countsOf,
  source: ({ source }) => source,
  who: personOf,
  state: ({ state }) => state,
  note: ({ note, reason }) => [reason, note].filter((text) => text !== null).join("; "),
};
const takenAt = ({ taken_at }: Version) => clockTime(taken_at);
const numberOf = ({ version }: Version) => String(version);
const versionColumns: Columns<Version> = {
  version: numberOf,
  taken: takenAt,
  "last seen": ({ last_seen_at }) => clockTime(last_seen_at),
  ...changeCells,
};
const changeColumns: Columns<Version> = {
  taken: takenAt,
  device: ({ device }) => device,
  part: ({ part }) => part,
  version: numberOf,
  ...changeCells,
};

export function defineHistory(parent: Command): void {
  const group = parent.command("history").description("the configurations of devices, as they were");
  defineTake(group);
  defineLists(group);
  defineShow(group);
  defineDifference(group);
  defineBlame(group);
  defineSearch(group);
  defineRestore(group, withPart);
  defineChanges(group);
  defineImport(group);
  defineRemote(group);
}

function withPart(command: Command): Command {
  return command.option("--part <part>", "running (default), startup or set");
}

function withLimit(command: Command): Command {
  return command.option("--limit <number>", "maximum number", "100");
}

interface TakeFlags extends ServerFlags, FormFlags {
  readonly select?: string;
  readonly part?: readonly string[];
  readonly note?: string;
  readonly acceptLess?: boolean;
  readonly wait?: boolean;
}

function defineTake(group: Command): void {
  const command = clientCommand(
    group,
    "take [device...]",
    "read configurations of inventory devices now; prints the bulk's id",
  )
    .option("--select <selector>", "the devices that match, such as site:berlin")
    .option("--part <part...>", "running, startup, set (default: all that the platform has)")
    .option("--note <text>", "kept with each version that is new")
    .option(
      "--accept-less",
      "a text that is far shorter than before, or lacks modules, is good: I have looked",
    )
    .option("--wait", "print what was read of each device; exits with 1 if a job failed");
  withServer(command)
    .option("--json", "with --wait: one JSON object a line")
    .action((devices: string[], flags: TakeFlags) =>
      withApi(flags, (session) => take(devices, flags, session)),
    );
}

async function take(devices: readonly string[], flags: TakeFlags, session: Session): Promise<number> {
  const { select, part: parts, note, wait, json, acceptLess } = flags;
  if (devices.length === 0 && select === undefined)
    throw new ServiceError("Validation", "No devices were given: name them, or use --select.");
  const { terminal } = session;
  const named = devices.length === 0 ? {} : { devices };
  const ids = await submitBulks(
    [{ ...named, select, parts, note, accept_less: acceptLess }],
    session,
    "/history/take",
  );
  if (wait !== true) {
    await terminal.write(ids.map((id) => `${id}\n`).join(""));
    return exitCodes.good;
  }
  if (json === true) return watchBulks(ids, flags, session, true);
  return watchBulks(ids, flags, session, { write: (job) => terminal.write(takenText(job, terminal)) });
}

const whoHint = "asked for or pushed by this person or key; me: by you";
interface WhoFlag {
  readonly who?: string;
}
interface ChangesFlags extends WhoFlag {
  readonly since: string;
  readonly select?: string;
  readonly state?: string;
}

function defineLists(group: Command): void {
  const list = clientCommand(group, "list", "list devices, each with its newest version and its state")
    .option("--select <selector>", "the devices that match")
    .option("--state <state>", "only those that are missing, suspect, failed or unsaved");
  withForms(withServer(withLimit(list))).action(
    ({ select, state, ...flags }: ListFlags & { readonly select?: string; readonly state?: string }) =>
      withApi(flags, (session) =>
        printPages("/history/device", historyOfDevice, { select, state }, deviceColumns, flags, session),
      ),
  );
  const versions = clientCommand(group, "versions <device>", "list the versions of a device, newest first");
  withForms(withServer(withLimit(withPart(versions))))
    .option("--who <name>", whoHint)
    .action((name: string, { part, who, ...flags }: ListFlags & PartFlag & WhoFlag) =>
      withApi(flags, (session) =>
        printPages(historyPath(name), version, { part, who }, versionColumns, flags, session),
      ),
    );
  const changes = clientCommand(group, "changes", "list the new versions of all devices, newest first")
    .option("--since <time>", timeHint, "1d")
    .option("--select <selector>", "of the devices that match")
    .option("--state <state>", "only good or suspect ones")
    .option("--who <name>", whoHint);
  withForms(withServer(withLimit(changes))).action(
    ({ since, select, state, who, ...flags }: ListFlags & ChangesFlags) =>
      withApi(flags, (session) => {
        const query = { since: momentOf(since), select, state, who };
        return printPages("/history/change", version, query, changeColumns, flags, session);
      }),
  );
}

async function printPages<T>(
  path: string,
  schema: RecordSchema<T>,
  query: Readonly<Record<string, string | undefined>>,
  columns: Columns<T>,
  flags: ListFlags,
  { api, terminal }: Session,
): Promise<void> {
  const limit = readInteger(flags.limit, "--limit", 1, 1_000_000);
  const records: T[] = [];
  const { isCut } = await eachPage(
    api,
    path,
    schema,
    query,
    limit,
    async (page) => void records.push(...page),
  );
  await printList(records, columns, flags, terminal);
  if (isCut) terminal.note(`There are more: --limit ${limit * 10}`);
}

interface ShowFlags extends OneFlags, PartFlag {
  readonly at?: string;
  readonly secrets?: boolean;
}

function defineShow(group: Command): void {
  const command = clientCommand(
    group,
    "show <device> [version]",
    "print a configuration; default: the latest",
  )
    .option("--at <time>", `the latest at that time: ${timeHint}`)
    .option("--secrets", "with its secrets: needs a key with the right history_secrets, and is recorded");
  withServer(withPart(command))
    .option("--json", "with what is known of the version, as JSON")
    .action((name: string, number: string | undefined, flags: ShowFlags) =>
      withApi(flags, (session) => show(name, number ?? "latest", flags, session)),
    );
}

async function show(name: string, number: string, flags: ShowFlags, session: Session): Promise<void> {
  const { api, terminal } = session;
  const { part, at, secrets } = flags;
  const query = { part, at: momentOf(at), secrets };
  const path = historyPath(name, number);
  if (flags.json === true) return terminal.write(`${jsonLine(await api.call(path, oneText, { query }))}\n`);
  const { body } = await api.stream(path, { query, headers: asText });
  if (body !== null) await writeText(body, terminal);
}

const asText = { Accept: "text/plain" };

/** Unchanged to files and pipes. */
async function writeText(body: AsyncIterable<Uint8Array>, terminal: Terminal): Promise<void> {
  if (terminal.columns !== undefined) {
    for await (const piece of shownPieces(body)) await terminal.write(piece);
    return;
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const piece of body) await terminal.write(decoder.decode(piece, { stream: true }));
  await terminal.write(decoder.decode());
}

interface DiffFlags extends OneFlags, PartFlag {
  readonly other?: string;
  readonly side?: boolean;
  readonly structured?: boolean;
  readonly exitCode?: boolean;
}

function defineDifference(group: Command): void {
  const command = clientCommand(
    group,
    "diff <device> [from] [to]",
    "print what differs between two versions; default: the latest and the good one before it",
  )
    .option("--other <device>", "compare with this device: `to` is a version of it")
    .option("--side", "side by side")
    .option("--structured", "by sections, without regard to an order that means nothing to the system")
    .option("--exit-code", "exit with 1 if they differ");
  withServer(withPart(command))
    .option("--json", "with what is known of both versions, as JSON")
    .action((name: string, from: string | undefined, to: string | undefined, flags: DiffFlags) =>
      withApi(flags, (session) => printDifference(name, { from, to }, flags, session)),
    );
}

async function printDifference(
  name: string,
  versions: { readonly from: string | undefined; readonly to: string | undefined },
  flags: DiffFlags,
  { api, terminal }: Session,
): Promise<number> {
  const { part, other, json, exitCode } = flags;
  if (flags.side === true && flags.structured === true)
    throw new ServiceError("Validation", "--side and --structured exclude each other.");
  const form = flags.side === true ? "side" : flags.structured === true ? "structured" : "unified";
  const query = { ...versions, part, other, form };
  const found = await api.call(historyPath(name, "diff"), difference, { query });
  const { from, to, unified = "", parts = [], changes = [] } = found;
  const isEqual = unified === "" && parts.length === 0 && changes.length === 0;
  const texts = { side: sideText, structured: structuredText, unified: unifiedText } as const;
  if (json === true) await terminal.write(`${jsonLine(found)}\n`);
  else if (isEqual) terminal.note(`${versionName(from)} and ${versionName(to)} do not differ.`);
  else await terminal.write(texts[form](found, terminal));
  return exitCode === true && !isEqual ? exitCodes.failed : exitCodes.good;
}

function versionName({ device, version, part }: Version): string {
  return `version ${version} of ${device} (${part})`;
}

function defineBlame(group: Command): void {
  const command = clientCommand(
    group,
    "blame <device> [version]",
    "print a configuration with the version that brought each line, and who is behind it",
  );
  withServer(withPart(command))
    .option("--json", "as JSON")
    .action((name: string, number: string | undefined, { part, json, ...flags }: OneFlags & PartFlag) =>
      withApi(flags, async ({ api, terminal }) => {
        const options = { query: { part, version: number } };
        const found = await api.call(historyPath(name, "blame"), blame, options);
        await terminal.write(json === true ? `${jsonLine(found)}\n` : blameText(found, terminal));
      }),
    );
}

interface SearchFlags extends OneFlags {
  readonly regex?: boolean;
  readonly select?: string;
  readonly ever?: boolean;
  readonly section?: string;
  readonly caseSensitive?: boolean;
  readonly limit: string;
}

function defineSearch(group: Command): void {
  const command = clientCommand(
    group,
    "search <text>",
    "print the lines of the latest configurations that have this text; exits with 1 if there are none",
  )
    .option("--regex", "the text is an expression in the syntax of RE2")
    .option("--section <regex>", "only lines that match this, and those below them, such as '^router bgp'")
    .option("--case-sensitive", "upper and lower case differ")
    .option("--select <selector>", "in devices that match")
    .option("--ever", "in all good versions");
  withServer(withLimit(command))
    .option("--json", "one JSON object a device and line")
    .action((text: string, flags: SearchFlags) => withApi(flags, (session) => search(text, flags, session)));
}

async function search(text: string, flags: SearchFlags, { api, terminal }: Session): Promise<number> {
  const { regex, section, select, ever, caseSensitive, json } = flags;
  const limit = readInteger(flags.limit, "--limit", 1, 1_000_000);
  const query = {
    ...(regex === true ? { regex: text } : { q: text }),
    ...{ section, select, case_sensitive: caseSensitive, scope: ever === true ? "ever" : undefined },
  };
  const write = (found: readonly Match[]) =>
    terminal.write(json === true ? jsonLines(found) : found.map((one) => matchText(one, terminal)).join(""));
  const { count, isCut } = await eachPage(api, "/history/search", match, query, limit, write);
  if (count === 0) terminal.note("No line matches.");
  if (isCut) terminal.note(`There are more devices: --limit ${limit * 10}`);
  return count === 0 ? exitCodes.failed : exitCodes.good;
}

function defineChanges(group: Command): void {
  const note = clientCommand(
    group,
    "note <device> <version> <text>",
    "write a note to a version; '' removes it",
  );
  withServer(withPart(note)).action(
    (name: string, number: string, text: string, { part, ...flags }: ServerFlags & PartFlag) =>
      withApi(flags, async ({ api, terminal }) => {
        if (text.length > historyLimits.noteChars)
          throw new ServiceError("Validation", `A note has at most ${historyLimits.noteChars} characters.`);
        const body = { note: text === "" ? null : text };
        const options = { method: "PATCH", query: { part }, body } as const;
        const noted = await api.call(historyPath(name, number), version, options);
        terminal.note(
          `Version ${noted.version} of ${noted.device} ${noted.note === null ? "has no note now" : "is noted"}.`,
        );
      }),
  );
  const notify = clientCommand(
    group,
    "notify <device>",
    "tell that the configuration of a device has changed: it is read within a minute",
  )
    .option("--user <name>", "who changed it")
    .option("--text <text>", "kept as a note");
  withServer(notify).action(
    (
      name: string,
      { user, text, ...flags }: ServerFlags & { readonly user?: string; readonly text?: string },
    ) =>
      withApi(flags, async ({ api, terminal }) => {
        const body = { device: name, user, text };
        const told = await api.call("/history/notify", notice, { method: "POST", body });
        terminal.note(`${told.device} is read within ${plural(told.in_seconds, "second")}.`);
      }),
  );
  const rename = clientCommand(
    group,
    "rename <device> <name>",
    "give a history another name, as the device was renamed; needs a key of scope admin",
  );
  withServer(rename).action((name: string, to: string, flags: ServerFlags) =>
    withApi(flags, async ({ api, terminal }) => {
      const options = { method: "POST", body: { to } } as const;
      const { device } = await api.call(historyPath(name, "rename"), historyOfDevice, options);
      terminal.note(`The history of ${name} is that of ${device} now.`);
    }),
  );
  const forget = clientCommand(
    group,
    "forget <device>",
    "delete the history of a device that the inventory no longer has, after confirmation; needs a key of scope admin",
  );
  withConfirmation(withServer(forget)).action((name: string, flags: ServerFlags & RemovalFlags) =>
    withApi(flags, async ({ api, terminal }) => {
      await confirmRemoval(`the history of ${name}`, flags, terminal);
      await api.call(historyPath(name), anything, { method: "DELETE" });
      terminal.note(`The history of ${name} is removed.`);
    }),
  );
}
