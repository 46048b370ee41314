/** `patchbay push`: pushes configuration to devices, after confirmation. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { shown } from "../../base/terminal-text.ts";
import { anything, jobRecord } from "../../client/answers.ts";
import { type CheckFlags, readChecks } from "../../client/checks.ts";
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
import { chosenDevices, inventoryBulks, requireOne, type SelectFlags, withSelect } from "./selected.ts";
import { submitBulks } from "./submit.ts";
import { formOf, type WatchFlags, watchBulks } from "./watch.ts";

interface PushFlags extends ServerFlags, DeviceFlags, SelectFlags, PurposeFlags, WatchFlags, CheckFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

/** The work shared by all devices. */
interface Work extends Shared {
  readonly config: readonly string[];
  readonly checks?: object;
}

const maxLines = 20;
const maxHosts = 8;
/** Time limit of the dry run shown before the confirmation. */
const dryRunSeconds = 60;

export function definePush(parent: Command): void {
  const command = clientCommand(parent, "push", "push configuration lines to devices, after confirmation")
    .argument("[hosts]", `${hostsArgument}; none with --select`)
    .argument("[file]", "file with the lines; - for standard input")
    .option("--yes", "do not ask")
    .option(
      "--dry-run",
      "change nothing: show what would change, or, where the device cannot compare, only the lines",
    )
    .option("--check <check...>", "check around the push: 'after: show ip bgp summary contains Established'")
    .option("--checks <file>", "checks as in a request, in YAML or JSON")
    .option("--settle <seconds>", "wait between the push and the checks after it")
    .option("--on-failure <what>", "if a check fails after the push: undo (default) or keep")
    .option("--detach", "print the id of the bulk and exit");
  withServer(withResults(withPurpose(withSelect(withDevices(command))))).action(
    (hosts: string | undefined, file: string | undefined, flags: PushFlags) =>
      conclude((surroundings) =>
        flags.select === undefined || file !== undefined
          ? push(hosts, file, flags, surroundings)
          : push(undefined, hosts, flags, surroundings),
      ),
  );
}

async function push(
  hosts: string | undefined,
  file: string | undefined,
  flags: PushFlags,
  surroundings: Surroundings,
): Promise<number> {
  formOf(flags);
  requireOne(hosts, flags);
  if (file === undefined) throw new ServiceError("Validation", "No file with lines was given.");
  const { terminal } = surroundings;
  const asks = flags.yes !== true && flags.dryRun !== true;
  if (asks && !terminal.isAttended)
    throw new ServiceError("Validation", "A push needs confirmation at a terminal: use --yes or --dry-run.");
  if (hosts === "-" && file === "-")
    throw new ServiceError("Validation", "Hosts and lines cannot both come from standard input.");
  const devices = hosts === undefined ? undefined : devicesOf(hosts);
  const config = readInput(file)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  if (config.length === 0) throw new ServiceError("Validation", `There is no line in ${file}.`);
  const checks = readChecks(flags);
  if (checks !== undefined && flags.dryRun === true)
    throw new ServiceError("Validation", "--dry-run pushes nothing: there is nothing to check.");
  const work: Work = { ...sharedOf(flags), config, ...(checks === undefined ? {} : { checks }) };
  const session = openSession(flags, surroundings);
  await session.api.call("/health", anything);
  const bulks =
    devices === undefined
      ? // Resolved once, so that the push goes to exactly the devices shown.
        await inventoryBulks(await chosenDevices(flags, session), flags, session)
      : await bulksOf(devices, flags, session);
  if (flags.dryRun === true) await requireDryRun(bulks, session);
  else if (asks) await ask(bulks, work, session);
  const submitted = flags.dryRun === true ? { ...work, ...dryRunOf(work) } : work;
  const ids = await submitBulks(
    bulks.map((bulk) => ({ ...bulk, ...submitted })),
    session,
  );
  if (flags.detach !== true) return watchBulks(ids, flags, session, true);
  await terminal.write(ids.map((id) => `${id}\n`).join(""));
  return 0;
}

const dryRunOf = ({ driver_args }: Work) => ({ driver_args: { ...driver_args, dry_run: true } });

/** Refuses drivers without dry runs, which would push. @throws ServiceError Validation */
async function requireDryRun(bulks: readonly Bulk[], { api }: Session): Promise<void> {
  for (const { driver, devices } of bulks) {
    if (driver === undefined)
      throw new ServiceError("Validation", `${nameOf(devices[0])} has no driver in the inventory: --driver.`);
    if (!(await driverTakes(api, driver, "dry_run")))
      throw new ServiceError("Validation", `The driver ${driver} has no dry run.`);
  }
}

/** @throws ServiceError Cancelled: not confirmed */
async function ask(bulks: readonly Bulk[], { config, ...more }: Work, session: Session): Promise<void> {
  const { terminal } = session;
  const hosts = bulks.flatMap(({ devices }) => devices.map(nameOf));
  const omitted = hosts.length - maxHosts;
  terminal.note(`${plural(config.length, "line")} for ${plural(hosts.length, "device")}:`);
  for (const line of config.slice(0, maxLines)) terminal.note(`    ${line}`);
  if (config.length > maxLines) terminal.note(`    … and ${config.length - maxLines} more`);
  terminal.note(`On ${hosts.slice(0, maxHosts).join(", ")}${omitted > 0 ? ` and ${omitted} more` : ""}.`);
  for (const bulk of bulks) await showDryRun(bulk, { config, ...more }, session);
  const answer = await terminal.ask(`Push to ${plural(hosts.length, "device")}? Type yes: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was pushed.");
}

/** Shows a dry run on the first device, if the driver supports it. */
async function showDryRun(bulk: Bulk, work: Work, { api, terminal }: Session): Promise<void> {
  const { driver, devices, connection_args } = bulk;
  if (driver === undefined || !(await driverTakes(api, driver, "dry_run")))
    return terminal.note(
      `The driver ${driver ?? "of the devices"} has no dry run: the changes cannot be shown.`,
    );
  const [first = {}] = devices;
  terminal.progress(`Dry run on ${nameOf(first)} …`);
  const job = await api.call("/device/execute", jobRecord, {
    method: "POST",
    headers: { Prefer: `wait=${dryRunSeconds}` },
    body: {
      driver,
      ...("device" in first
        ? { device: first.device, connection_args }
        : { connection_args: { ...connection_args, ...first } }),
      config: work.config,
      ...dryRunOf(work),
    },
  });
  terminal.progress(undefined);
  terminal.note(`Dry run on ${nameOf(first)}:`);
  terminal.note(shown(blockOf(job, { paint: (_colour, text) => text })).trimEnd());
}

function nameOf(device: Readonly<Record<string, unknown>> | undefined): string {
  return String(device?.device ?? device?.host ?? "");
}
