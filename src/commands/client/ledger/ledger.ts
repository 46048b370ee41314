/** `patchbay ledger`: lists, shows, exports and verifies the ledger; verification of an export needs no service. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Command } from "commander";
import {
  actorWords,
  type ChangedOutside,
  changeWords,
  type LedgerBreak,
  ledgerKinds,
  ledgerLimits,
  type UnapprovedPush,
} from "../../../api/ledger/ledger.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { idNamed } from "../../../client/input/ids.ts";
import { readInput } from "../../../client/input/input.ts";
import { momentOf, readInteger, timeHint } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { streamOutput } from "../../../client/output/output-files.ts";
import { jsonLine } from "../../../client/output/table.ts";
import {
  checkpoint,
  type Entry,
  entry,
  entryList,
  outsideList,
  publicKey as publicKeyAnswer,
  type Verdict,
  verdict,
} from "../../../client/rooms/ledger.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { readPublicKey } from "../../../ledger/check.ts";
import { checkExport, readCheckpoints } from "../../../ledger/export-check.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, openSession, runToExit, type Session, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface ListFlags extends ServerFlags, FormFlags {
  readonly kind?: string;
  readonly device?: string;
  readonly actor?: string;
  readonly job?: string;
  readonly ticket?: string;
  readonly change?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

interface VerifyFlags extends ServerFlags {
  readonly publicKey?: string;
  readonly checkpoints?: string;
  readonly json?: boolean;
}

const columns: Columns<Entry> = {
  seq: ({ entry }) => String(entry.seq),
  at: ({ entry }) => clockTime(entry.at),
  kind: ({ entry }) => entry.kind,
  who: actorWords,
  from: ({ entry }) => entry.actor.address ?? "",
  device: ({ entry }) => entry.device ?? entry.host ?? "",
  outcome: ({ entry }) => entry.outcome ?? "",
  lines: ({ entry }) => (entry.sent === undefined ? "" : String(entry.sent.lines)),
  detail: (record) =>
    [record.entry.ticket, record.entry.error, changeWords(record), record.about ?? record.entry.detail]
      .filter(Boolean)
      .join(", "),
};
const outsideColumns: Columns<ChangedOutside> = {
  device: ({ device }) => device,
  version: ({ version, part }) => (part === "running" ? String(version) : `${version} (${part})`),
  seen: ({ taken_at }) => clockTime(taken_at),
  "unchanged until": ({ unchanged_until }) => (unchanged_until === null ? "" : clockTime(unchanged_until)),
  "by on device": ({ by_on_device }) => by_on_device ?? "",
  added: ({ added }) => `+${added}`,
  removed: ({ removed }) => `-${removed}`,
};

export function defineLedger(parent: Command): void {
  const command = parent
    .command("ledger")
    .description(
      "what may have changed devices, as a record that can be verified; needs a key of scope admin",
    );
  withTimes(withForms(withServer(clientCommand(command, "list", "list entries, newest first"))))
    .option("--kind <kind>", Object.keys(ledgerKinds).join(", "))
    .option("--device <name>", "of one device, by its inventory name")
    .option("--actor <name>", "of one actor, by name or by the id of the key")
    .option("--job <id>", "of one job")
    .option("--ticket <text>", "with this ticket number")
    .option("--change <id>", "of one change: who voted, started and stopped it, and its pushes")
    .action((flags: ListFlags) => withApi(flags, (session) => list(flags, session)));
  withServer(clientCommand(command, "show <number>", "show an entry as JSON")).action(
    (number: string, flags: ServerFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const found = await api.call(`/ledger/entry/${encodeURIComponent(number)}`, entry);
        await terminal.write(`${JSON.stringify(found, null, 2)}\n`);
      }),
  );
  withTimes(
    withForms(
      withServer(clientCommand(command, "outside", "list versions of devices that no entry explains")),
    ),
  )
    .option("--device <name>", "of one device")
    .action((flags: ListFlags) => withApi(flags, (session) => outside(flags, session)));
  withServer(
    clientCommand(command, "export [file]", "write the whole ledger, for verification anywhere"),
  ).action((file: string | undefined, flags: ServerFlags) =>
    withApi(flags, async ({ api, terminal }) => {
      const { body } = await api.stream("/ledger/export");
      if (body === null) return;
      if (file !== undefined) return streamOutput(file, body);
      // JSON escapes what a terminal would act on.
      const decoder = new TextDecoder();
      for await (const piece of body) await terminal.write(decoder.decode(piece, { stream: true }));
    }),
  );
  withServer(clientCommand(command, "checkpoint", "sign a checkpoint now, and print it")).action(
    (flags: ServerFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const signed = await api.call("/ledger/checkpoint", checkpoint, { method: "POST" });
        await terminal.write(`${jsonLine(signed)}\n`);
      }),
  );
  withServer(clientCommand(command, "public-key", "print the key that verifies checkpoints")).action(
    (flags: ServerFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        terminal.write((await api.call("/ledger/public-key", publicKeyAnswer)).public_key),
      ),
  );
  withServer(
    clientCommand(
      command,
      "verify [export]",
      "verify the ledger of a service, or an export of one, without the service",
    ),
  )
    .option("--public-key <file>", "the public key as it was kept outside")
    .option("--checkpoints <file>", "checkpoints as they were kept outside, one a line")
    .option("--json", "the verdict as JSON")
    .action((file: string | undefined, flags: VerifyFlags) =>
      file === undefined
        ? withApi(flags, (session) => verifyService(flags, session))
        : runToExit(({ terminal }) => verifyFile(file, flags, terminal)),
    );
}

function withTimes(command: Command): Command {
  return command
    .option("--since <time>", `at or after: ${timeHint}`)
    .option("--until <time>", "before, written likewise")
    .option("--limit <number>", "maximum number", "50");
}

/** @param work its exit code, or nothing: it succeeded */
function withApi(
  flags: ServerFlags,
  work: (session: Session) => Promise<number> | Promise<void>,
): Promise<never> {
  return runToExit(async (surroundings) => (await work(openSession(flags, surroundings))) ?? exitCodes.good);
}

async function list(flags: ListFlags, { api, terminal }: Session): Promise<void> {
  const { kind, device, actor, job, ticket, change } = flags;
  const subject = { kind, device, actor, ticket, change, job: job && (await idNamed(api, "job", job)) };
  const { items, isMore, most } = await pages(flags, (query) =>
    api.page("/ledger", entryList, { query: { ...subject, ...query } }),
  );
  await printList(items, columns, flags, terminal);
  if (isMore) terminal.note(`There are more: --limit ${most * 10}`);
}

async function outside(flags: ListFlags, { api, terminal }: Session): Promise<void> {
  const { items, isMore, most } = await pages(flags, (query) =>
    api.page("/ledger/outside", outsideList, { query: { device: flags.device, ...query } }),
  );
  await printList(items, outsideColumns, flags, terminal);
  if (isMore) terminal.note(`There are more: --limit ${most * 10}`);
}

type Query = Readonly<Record<string, string | number | undefined>>;

async function pages<T>(
  { since, until, limit }: ListFlags,
  read: (query: Query) => Promise<{ readonly data: readonly T[]; readonly cursor?: string }>,
) {
  const most = readInteger(limit, "--limit", 1, 100_000);
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({
      ...{ since: momentOf(since), until: momentOf(until), cursor },
      limit: Math.min(500, most - items.length),
    });
    items.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== undefined && items.length < most);
  return { items, isMore: cursor !== undefined, most };
}

async function verifyService(flags: VerifyFlags, { api, terminal }: Session): Promise<number> {
  const kept = flags.checkpoints === undefined ? [] : readCheckpoints(readInput(flags.checkpoints));
  const ours = await api.call("/ledger/public-key", publicKeyAnswer);
  const isOurKey = flags.publicKey === undefined || isSameKey(readInput(flags.publicKey), ours.public_key);
  // The newest say most; more than that are compared with an export.
  const checkpoints = kept.slice(-ledgerLimits.checkpoints);
  const all = { entries: 0, checkpoints: 0, missing: 0, outside: 0 };
  const breaks: LedgerBreak[] = [];
  const outsideVersions: ChangedOutside[] = [];
  const missing: string[] = [];
  const unapproved: UnapprovedPush[] = [];
  const lost: Verdict["lost"] = [];
  for (let next: string | null | undefined; next !== null; ) {
    const body = { ...(next === undefined ? {} : { next }), checkpoints };
    const piece: Verdict = await api.call("/ledger/verify", verdict, {
      method: "POST",
      body,
    });
    all.entries += piece.entries;
    all.checkpoints += piece.checkpoints;
    breaks.push(...piece.breaks);
    missing.push(...piece.missing);
    unapproved.push(...piece.unapproved);
    outsideVersions.push(...piece.outside);
    lost.push(...piece.lost);
    next = piece.next;
    terminal.progress(`${all.entries} entries verified`);
  }
  const intact = breaks.length === 0 && isOurKey;
  const complete = missing.length + unapproved.length + outsideVersions.length === 0;
  if (flags.json === true)
    await terminal.write(
      `${jsonLine({ intact, complete, same_key: isOurKey, ...all, breaks, missing, unapproved, outside: outsideVersions, lost })}\n`,
    );
  else {
    const lines = [
      `intact: ${intact ? "yes" : "NO"} (${all.entries} entries, ${all.checkpoints} checkpoints)`,
      ...(isOurKey ? [] : ["  the service signs with another key than the one that was kept"]),
      ...breakLines(breaks),
      ...lostLines(lost),
      `complete: ${complete ? "yes" : "NO"}`,
      ...missing.map((id) => `  the push ${id} has no entry`),
      ...unapproved.map(unapprovedLine),
      ...outsideVersions.map(outsideLine),
    ];
    await terminal.write(shown(`${lines.join("\n")}\n`));
  }
  return intact && complete ? exitCodes.good : exitCodes.failed;
}

async function verifyFile(file: string, flags: VerifyFlags, terminal: Session["terminal"]): Promise<number> {
  const checkpoints = flags.checkpoints === undefined ? [] : readCheckpoints(readInput(flags.checkpoints));
  const publicKey = flags.publicKey === undefined ? undefined : readInput(flags.publicKey);
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  const result = await checkExport(lines, { publicKey, checkpoints });
  const { breaks, entries, covered, isOwnKey, lost, installation, last, unapproved } = result;
  const intact = breaks.length === 0;
  const isApproved = unapproved.length === 0;
  if (flags.json === true)
    await terminal.write(
      `${jsonLine({ intact, complete: isApproved ? null : false, installation, entries, checkpoints: result.checkpoints, covered, own_key: isOwnKey, breaks, unapproved, lost })}\n`,
    );
  else {
    const end = last?.seq ?? 0;
    const text = [
      `intact: ${intact ? "yes" : "NO"} (${entries} entries, ${result.checkpoints} checkpoints)`,
      ...breakLines(breaks),
      ...lostLines(lost),
      covered < end
        ? `  signed up to entry ${covered}; those after it are only as good as this file`
        : `  signed up to the newest entry, ${end}`,
      ...(isOwnKey
        ? ["  the public key is that of the export: without --public-key this says nothing about who made it"]
        : []),
      ...(isApproved
        ? ["complete: not known; only the service has the jobs and configurations to compare with"]
        : ["complete: NO", ...unapproved.map(unapprovedLine)]),
    ];
    await terminal.write(shown(`${text.join("\n")}\n`));
  }
  return intact && isApproved ? exitCodes.good : exitCodes.failed;
}

function unapprovedLine({ seq, change, message }: UnapprovedPush): string {
  return `  ${seq}: a push of change ${change}: ${message}`;
}

function breakLines(breaks: readonly LedgerBreak[]): string[] {
  return breaks.map(({ seq, message }) => `  ${seq}: ${message}`);
}

function lostLines(lost: Verdict["lost"] | readonly { seq: number; up_to: number; at: string }[]): string[] {
  return lost.map(
    ({ seq, up_to, at }) =>
      `  ${seq}: restored at ${clockTime(at)}; earlier entries ${seq} to ${up_to} are not here any more`,
  );
}

function outsideLine({ device, version, taken_at, by_on_device }: ChangedOutside): string {
  const who = by_on_device === null ? "" : ` by ${by_on_device}`;
  return `  ${device} was changed outside${who}: version ${version}, seen ${clockTime(taken_at)}`;
}

function isSameKey(one: string, other: string): boolean {
  const der = (pem: string) => readPublicKey(pem).export({ type: "spki", format: "der" });
  return der(one).equals(der(other));
}
