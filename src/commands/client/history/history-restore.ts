/** `patchbay history restore`: a draft of what restores a version, or a change that does. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { asRead } from "../../../base/text/terminal-text.ts";
import { momentOf, readInteger, timeHint } from "../../../client/output/numbers.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { draft, historyPath } from "../../../client/rooms/history.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { plannedFrom } from "../jobs/push-as-change.ts";
import { clientCommand, type Session, withApi, withServer } from "../parts/action.ts";

interface RestoreFlags extends ServerFlags {
  readonly json?: boolean;
  readonly part?: string;
  readonly target?: string;
  readonly lines?: boolean;
  readonly asChange?: boolean;
  readonly select?: string;
  readonly at?: string;
  readonly label?: string;
  readonly ticket?: string;
  readonly note?: string;
  readonly detach?: boolean;
  readonly wait?: boolean;
}

export function defineRestore(group: Command, withPart: (command: Command) => Command): void {
  const command = clientCommand(
    group,
    "restore [device] [version]",
    "print what differs from a version, as a draft of what restores it; nothing is changed, and the device makes a dry run where it can",
  )
    .option("--target <device>", "the device to restore it on, such as a replacement unit")
    .option("--lines", "print the lines to push in place of the difference, with secrets as marks")
    .option("--as-change", "draft and plan a change that restores it, with votes and waves")
    .option("--at <time>", `with --as-change: what the devices had then: ${timeHint}`)
    .option("--select <selector>", "with --as-change and --at: these inventory devices")
    .option("--label <text>", "with --as-change: its name")
    .option("--ticket <text>", "with --as-change: ticket number, such as CHG-7")
    .option("--note <text>", "with --as-change: a longer text")
    .option("--detach", "with --as-change: print its id only")
    .option("--wait", "with --as-change: print what happens to it until it ends; 1 unless it is done");
  withServer(withPart(command))
    .option("--json", "the draft, or the change, as JSON")
    .action((name: string | undefined, number: string | undefined, flags: RestoreFlags) =>
      withApi(flags, (session) =>
        flags.asChange === true
          ? restoreAsChange(name, number, flags, session)
          : restore(name, number, flags, session),
      ),
    );
}

const ofChange = ["select", "at", "label", "ticket", "note", "detach", "wait"] as const;

async function restore(
  name: string | undefined,
  number: string | undefined,
  flags: RestoreFlags,
  { api, terminal }: Session,
): Promise<void> {
  const useless = ofChange.find((flag) => flags[flag] !== undefined);
  if (useless !== undefined) throw new ServiceError("Validation", `--${useless} needs --as-change.`);
  if (name === undefined || number === undefined)
    throw new ServiceError("Validation", "Name a device and a version.");
  const { part, target, lines, json } = flags;
  const options = { method: "POST", query: { part }, body: { target } } as const;
  const made = await api.call(historyPath(name, number, "restore"), draft, options);
  if (json === true) {
    await terminal.write(`${jsonLine(made)}\n`);
    return;
  }
  const text = lines === true ? made.lines.map((line) => `${line}\n`).join("") : made.unified;
  await terminal.write(asRead(text, terminal));
  for (const warning of made.warnings) terminal.note(`Warning: ${warning}`);
  const how = ways[made.way];
  terminal.note(`${made.target} ${how} to be as in version ${made.version.version}; nothing was changed.`);
  if (made.job !== null) terminal.note(`What the device says of it: patchbay job ${made.job.id} --follow`);
}

const ways = {
  replace: "replaces its whole configuration",
  lines: "is sent lines",
  files: "runs a script that writes files",
} as const;

/** @throws ServiceError Validation */
async function restoreAsChange(
  name: string | undefined,
  number: string | undefined,
  flags: RestoreFlags,
  session: Session,
): Promise<number> {
  const { select, at, part, target, lines, label, ticket, note } = flags;
  if (target !== undefined || lines === true || (part !== undefined && part !== "running"))
    throw new ServiceError(
      "Validation",
      "A change gives devices back a running configuration of their own: --target, --lines and --part are for drafts.",
    );
  if ((name === undefined) === (select === undefined))
    throw new ServiceError("Validation", "Name a device, or --select some.");
  if ((number === undefined) === (at === undefined))
    throw new ServiceError("Validation", "Name the version, or the time with --at.");
  const moment = momentOf(at);
  const restored =
    number === undefined ? { at: moment } : { version: readInteger(number, "the version", 1, 1_000_000_000) };
  const what = number === undefined ? `as of ${moment ?? ""}` : `as in version ${number}`;
  const body = {
    name: label ?? `${name ?? select ?? ""} ${what}`.slice(0, 200),
    ...(name === undefined ? { select } : { devices: [name] }),
    ...{ ticket, note, restore: restored },
  };
  return plannedFrom(body, flags, session);
}
