/** `patchbay push`: configuration to devices, after a question. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { anything, jobRecord } from "../../client/answers.ts";
import { shown } from "../../client/clean.ts";
import { readInput } from "../../client/input.ts";
import { plural } from "../../client/numbers.ts";
import { driverTakes } from "../../client/openapi.ts";
import { blockOf } from "../../client/results.ts";
import type { ServerFlags } from "../../client/server.ts";
import type { Bulk, DeviceFlags } from "../../client/submission.ts";
import {
  clientCommand,
  conclude,
  openSession,
  type Session,
  type Surroundings,
  withServer,
} from "./action.ts";
import {
  bulksOf,
  devicesOf,
  hostsArgument,
  type PurposeFlags,
  type Shared,
  sharedOf,
  withDevices,
  withPurpose,
  withResults,
} from "./devices.ts";
import { submitBulks } from "./submit.ts";
import { formOf, type WatchFlags, watchBulks } from "./watch.ts";

interface PushFlags extends ServerFlags, DeviceFlags, PurposeFlags, WatchFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

/** What all devices get. */
interface Work extends Shared {
  readonly config: readonly string[];
}

const mostLines = 20;
const mostHosts = 8;
/** The dry run that is shown before the question. */
const dryRunSeconds = 60;

export function definePush(parent: Command): void {
  const command = clientCommand(parent, "push", "push configuration lines to devices, after a question")
    .argument("<hosts>", hostsArgument)
    .argument("<file>", "the lines; - for the standard input")
    .option("--yes", "do not ask")
    .option("--dry-run", "show what it would change on each device, and change nothing")
    .option("--detach", "print the id of the bulk and leave");
  withServer(withResults(withPurpose(withDevices(command)))).action(
    (hosts: string, file: string, flags: PushFlags) =>
      conclude((surroundings) => push(hosts, file, flags, surroundings)),
  );
}

async function push(
  hosts: string,
  file: string,
  flags: PushFlags,
  surroundings: Surroundings,
): Promise<number> {
  formOf(flags);
  const { terminal } = surroundings;
  const asks = flags.yes !== true && flags.dryRun !== true;
  if (asks && !terminal.isAttended)
    throw new ServiceError(
      "Validation",
      "A push is asked for first, and there is no terminal: --yes, or --dry-run.",
    );
  if (hosts === "-" && file === "-")
    throw new ServiceError("Validation", "Hosts and lines can not both come from the standard input.");
  const devices = devicesOf(hosts);
  const config = readInput(file)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  if (config.length === 0) throw new ServiceError("Validation", `There is no line in ${file}.`);
  const work: Work = { ...sharedOf(flags), config };
  const session = openSession(flags, surroundings);
  await session.api.call("/health", anything);
  const bulks = await bulksOf(devices, flags, session);
  if (flags.dryRun === true) await requireDryRun(bulks, session);
  else if (asks) await ask(bulks, work, session);
  const given = flags.dryRun === true ? { ...work, ...dryRunOf(work) } : work;
  const ids = await submitBulks(
    bulks.map((bulk) => ({ ...bulk, ...given })),
    session,
  );
  if (flags.detach !== true) return watchBulks(ids, flags, session, true);
  await terminal.write(ids.map((id) => `${id}\n`).join(""));
  return 0;
}

const dryRunOf = ({ driver_args }: Work) => ({ driver_args: { ...driver_args, dry_run: true } });

/** A driver that does not know it would push. @throws ServiceError Validation */
async function requireDryRun(bulks: readonly Bulk[], { api }: Session): Promise<void> {
  for (const { driver } of bulks)
    if (!(await driverTakes(api, driver, "dry_run")))
      throw new ServiceError("Validation", `The driver ${driver} has no dry run.`);
}

/** @throws ServiceError Cancelled: the answer was no */
async function ask(bulks: readonly Bulk[], { config, ...more }: Work, session: Session): Promise<void> {
  const { terminal } = session;
  const hosts = bulks.flatMap(({ devices }) => devices.map(({ host }) => String(host)));
  const others = hosts.length - mostHosts;
  terminal.note(`${plural(config.length, "line")} for ${plural(hosts.length, "device")}:`);
  for (const line of config.slice(0, mostLines)) terminal.note(`    ${line}`);
  if (config.length > mostLines) terminal.note(`    … and ${config.length - mostLines} more`);
  terminal.note(`On ${hosts.slice(0, mostHosts).join(", ")}${others > 0 ? ` and ${others} more` : ""}.`);
  for (const bulk of bulks) await showDryRun(bulk, { config, ...more }, session);
  const answer = await terminal.ask(`Push to ${plural(hosts.length, "device")}? Type yes: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was pushed.");
}

/** On the first device, where the driver knows how. */
async function showDryRun(bulk: Bulk, work: Work, { api, terminal }: Session): Promise<void> {
  const { driver, devices, connection_args } = bulk;
  if (!(await driverTakes(api, driver, "dry_run")))
    return terminal.note(`The driver ${driver} has no dry run: it is not known what this changes.`);
  const [first = {}] = devices;
  terminal.progress(`Dry run on ${String(first.host)} …`);
  const job = await api.call("/device/execute", jobRecord, {
    method: "POST",
    headers: { Prefer: `wait=${dryRunSeconds}` },
    body: {
      driver,
      connection_args: { ...connection_args, ...first },
      config: work.config,
      ...dryRunOf(work),
    },
  });
  terminal.progress(undefined);
  terminal.note(`Dry run on ${String(first.host)}:`);
  terminal.note(shown(blockOf(job, { paint: (_colour, text) => text })).trimEnd());
}
