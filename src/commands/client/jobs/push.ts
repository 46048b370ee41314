/** `patchbay push`: shows lines, devices and a dry run on the first of them, and pushes after confirmation. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { type CheckFlags, readChecks } from "../../../client/input/checks.ts";
import { readInput } from "../../../client/input/input.ts";
import { plural } from "../../../client/output/numbers.ts";
import {
  groupedByLines,
  nameOfTarget,
  type Rendered,
  renderedFor,
  type Target,
} from "../../../client/output/rendered.ts";
import { blockOf } from "../../../client/output/results.ts";
import {
  readTemplateWork,
  requireTemplate,
  type TemplateFlags,
  type TemplateWork,
} from "../../../client/rooms/templates.ts";
import { anything, job as jobRecord } from "../../../client/service/answers.ts";
import { driverTakes } from "../../../client/service/openapi.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import type { Bulk, DeviceFlags } from "../../../client/service/submission.ts";
import {
  clientCommand,
  noteWarnings,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  withServer,
} from "../parts/action.ts";
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
} from "../parts/devices.ts";
import {
  chosenDevices,
  inventoryBulks,
  requireOne,
  type SelectFlags,
  withSelect,
} from "../parts/selected.ts";
import { submitBulks } from "../parts/submit.ts";
import { withTemplate } from "../parts/templates.ts";
import { checkResultFlags, type WatchFlags, watchBulks } from "../parts/watch.ts";
import { draftChange, namesForChange, requireChangeFlags } from "./push-as-change.ts";

interface PushFlags
  extends ServerFlags,
    DeviceFlags,
    SelectFlags,
    PurposeFlags,
    WatchFlags,
    CheckFlags,
    TemplateFlags {
  readonly template?: string;
  /** Undefined: left to the service, which does not save. */
  readonly save?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly rehearse?: boolean;
  readonly detach?: boolean;
  readonly asChange?: boolean;
  readonly wait?: boolean;
}

export function definePush(parent: Command): void {
  const command = clientCommand(parent, "push", "push configuration lines to devices, after confirmation")
    .argument("[hosts]", `${hostsArgument}; none with --select`)
    .argument("[file]", "file with the lines; - for standard input; none with --template")
    .option(
      "--template <file>",
      "push what this template renders for each device; also file:// below the template roots of the service",
    )
    .option("--save", "save the configuration on the devices after the push (default: not saved)")
    .option("--no-save", "do not save it")
    .option("--yes", "do not ask")
    .option(
      "--dry-run",
      "change nothing: show what would change, or, where the device cannot compare, only the lines",
    )
    .option("--rehearse", "change nothing: tell what is known of each line, and what it would do")
    .option("--check <check...>", "check around the push: 'after: show ip bgp summary contains Established'")
    .option("--checks <file>", "checks as in a request, in YAML or JSON")
    .option("--settle <seconds>", "wait between the push and the checks after it")
    .option("--on-failure <what>", "if a check fails after the push: undo (default) or keep")
    .option("--detach", "print the id of the bulk and exit")
    .option("--as-change", "draft and plan a change in place of the push: with votes, waves and a way back")
    .option("--wait", "with --as-change: print what happens to it until it ends; 1 unless it is done");
  withServer(withResults(withPurpose(withSelect(withDevices(withTemplate(command)))))).action(
    (hosts: string | undefined, file: string | undefined, flags: PushFlags) =>
      runToExit((surroundings) =>
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
  checkResultFlags(flags);
  requireOne(hosts, flags);
  requireTemplate(flags.template, flags);
  const { terminal } = surroundings;
  if (flags.asChange === true) requireChangeFlags(flags);
  else if (flags.wait === true) throw new ServiceError("Validation", "--wait needs --as-change.");
  const changesNothing = flags.dryRun === true || flags.rehearse === true;
  const asks = flags.yes !== true && !changesNothing && flags.asChange !== true;
  if (asks && !terminal.isAttended)
    throw new ServiceError(
      "Validation",
      "A push needs confirmation at a terminal: use --yes, --dry-run or --rehearse.",
    );
  if (hosts === "-" && [file, flags.template, flags.vars].includes("-"))
    throw new ServiceError("Validation", "Hosts and lines cannot both come from standard input.");
  const devices = hosts === undefined ? undefined : devicesOf(hosts);
  const pushed = pushedOf(file, flags);
  const checks = readChecks(flags);
  const harmless = flags.rehearse === true ? "--rehearse" : "--dry-run";
  if (flags.dryRun === true && flags.rehearse === true)
    throw new ServiceError("Validation", "--dry-run and --rehearse exclude each other.");
  if (flags.asChange === true && flags.rehearse === true)
    throw new ServiceError("Validation", "--as-change and --rehearse exclude each other.");
  if (checks !== undefined && changesNothing)
    throw new ServiceError("Validation", `${harmless} pushes nothing: there is nothing to check.`);
  if (flags.save === true && changesNothing)
    throw new ServiceError("Validation", `${harmless} pushes nothing: there is nothing to save.`);
  const shared = sharedOf(flags);
  const work: Work = {
    ...shared,
    ...(flags.save === undefined ? {} : { driver_args: { ...shared.driver_args, save: flags.save } }),
    ...pushed,
    ...(checks === undefined ? {} : { checks }),
  };
  const session = openSession(flags, surroundings);
  await session.api.call("/health", anything);
  if (flags.asChange === true) {
    const names = await namesForChange(devices, flags, session);
    return draftChange(
      names,
      work,
      file === "-" ? "push" : `push of ${file ?? flags.template ?? ""}`,
      flags,
      session,
    );
  }
  const bulks =
    devices === undefined
      ? // Resolved once, so that the push goes to exactly the devices shown.
        await inventoryBulks(await chosenDevices(flags, session), flags, session)
      : await bulksOf(devices, flags, session);
  if (flags.dryRun === true) await requireArgument("dry_run", "dry run", bulks, session);
  if (flags.save === true) await requireArgument("save", "save", bulks, session);
  if (asks) await ask(bulks, work, session);
  const submitted =
    flags.rehearse === true
      ? { ...work, rehearse: true }
      : flags.dryRun === true
        ? { ...work, ...dryRunOf(work) }
        : work;
  const ids = await submitBulks(
    bulks.map((bulk) => ({ ...bulk, ...submitted })),
    session,
  );
  if (flags.detach !== true) return watchBulks(ids, flags, session, true);
  await terminal.write(ids.map((id) => `${id}\n`).join(""));
  return 0;
}

/** The lines of the file, or the template with its context. @throws ServiceError Validation */
function pushedOf(file: string | undefined, flags: PushFlags): Pick<Work, "config" | "rendering"> {
  if (flags.template !== undefined) {
    if (file !== undefined)
      throw new ServiceError("Validation", `${file} and --template cannot be combined: push one of them.`);
    const { rendering, context } = readTemplateWork(flags.template, flags);
    return { config: context, rendering };
  }
  if (file === undefined)
    throw new ServiceError("Validation", "No file with lines was given, and no --template.");
  const config = readInput(file)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  if (config.length === 0) throw new ServiceError("Validation", `There is no line in ${file}.`);
  return { config };
}

/** Refuses drivers that would ignore the argument: a dry run would push. @throws ServiceError Validation */
async function requireArgument(
  argument: string,
  noun: string,
  bulks: readonly Bulk[],
  { api }: Session,
): Promise<void> {
  for (const { driver, devices } of bulks) {
    if (driver === undefined)
      throw new ServiceError(
        "Validation",
        `${nameOfTarget(devices[0])} has no driver in the inventory: --driver.`,
      );
    if (!(await driverTakes(api, driver, argument)))
      throw new ServiceError("Validation", `The driver ${driver} has no ${noun}.`);
  }
}

/** The work shared by all devices. */
interface Work extends Shared {
  /** Lines, or the context of `rendering`. */
  readonly config: readonly string[] | TemplateWork["context"];
  readonly rendering?: TemplateWork["rendering"];
  readonly checks?: object;
}

const maxLines = 20;
const maxHosts = 8;
/** Different texts of a template that are shown. */
const maxTexts = 3;
/** Devices that a template is rendered for before the confirmation. */
const maxRendered = 500;
/** Devices named that a template cannot be rendered for. */
const maxFaults = 10;
/** Time limit of the dry run shown before the confirmation. */
const dryRunSeconds = 60;

const dryRunOf = ({ driver_args }: Work) => ({ driver_args: { ...driver_args, dry_run: true } });

/** @throws ServiceError Cancelled: not confirmed */
async function ask(bulks: readonly Bulk[], work: Work, session: Session): Promise<void> {
  const { terminal } = session;
  const targets = bulks.flatMap(({ devices }) => devices);
  const { config, rendering } = work;
  if (isLines(config)) showLines(config, targets, session);
  else if (rendering !== undefined) await showRendered({ rendering, context: config }, targets, session);
  await tellSaved(bulks, work, session);
  for (const bulk of bulks) await showDryRun(bulk, work, session);
  const answer = await terminal.ask(`Push to ${plural(targets.length, "device")}? Type yes: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was pushed.");
}

function showLines(lines: readonly string[], targets: readonly Target[], { terminal }: Session): void {
  terminal.note(`${plural(lines.length, "line")} for ${plural(targets.length, "device")}:`);
  for (const line of lines.slice(0, maxLines)) terminal.note(`    ${line}`);
  if (lines.length > maxLines) terminal.note(`    … and ${lines.length - maxLines} more`);
  terminal.note(`On ${namesOf(targets)}.`);
}

/** @throws ServiceError Validation: it cannot be rendered for a device */
async function showRendered(work: TemplateWork, targets: readonly Target[], session: Session): Promise<void> {
  const { api, terminal } = session;
  const all: Rendered[] = [];
  const some = targets.slice(0, maxRendered);
  for await (const one of renderedFor(api, work, some)) {
    all.push(one);
    terminal.progress(`Rendered for ${all.length} of ${some.length} devices …`);
  }
  terminal.progress(undefined);
  noteWarnings(terminal, [...new Set(all.flatMap(({ warnings }) => warnings))]);
  requireRendered(all);
  const groups = groupedByLines(all);
  for (const { lines, targets } of groups.slice(0, maxTexts)) showLines(lines, targets, session);
  const others = groups.slice(maxTexts);
  const count = others.reduce((sum, { targets }) => sum + targets.length, 0);
  if (count > 0)
    terminal.note(
      `… and ${plural(others.length, "other text")} for ${plural(count, "device")}: patchbay render shows all.`,
    );
  if (targets.length > some.length)
    terminal.note(`Rendered for the first ${some.length} of ${targets.length} devices.`);
}

function requireRendered(all: readonly Rendered[]): void {
  const faults = all.filter(({ failure }) => failure !== undefined);
  if (faults.length === 0) return;
  const named = faults
    .slice(0, maxFaults)
    .map(({ target, failure }) => `${nameOfTarget(target)}: ${failure}`)
    .join("\n");
  const more = faults.length > maxFaults ? `\n… and ${faults.length - maxFaults} more` : "";
  const of = `${faults.length} of ${plural(all.length, "device")}`;
  throw new ServiceError(
    "Validation",
    `Nothing was pushed: the template cannot be rendered for ${of}.\n${named}${more}`,
  );
}

/** Says whether the change survives a restart of the device, where that is a choice. */
async function tellSaved(
  bulks: readonly Bulk[],
  { driver_args }: Work,
  { api, terminal }: Session,
): Promise<void> {
  if (driver_args?.save === true) return terminal.note("It will be saved on the devices.");
  for (const { driver } of bulks)
    if (driver !== undefined && (await driverTakes(api, driver, "save")))
      return terminal.note(
        "It will not be saved on the devices, and a restart takes it back: --save saves it.",
      );
}

/** Shows a dry run on the first device, if the driver supports it. */
async function showDryRun(bulk: Bulk, work: Work, { api, terminal }: Session): Promise<void> {
  const { driver, devices, connection_args } = bulk;
  if (driver === undefined || !(await driverTakes(api, driver, "dry_run")))
    return terminal.note(
      `The driver ${driver ?? "of the devices"} has no dry run: the changes cannot be shown.`,
    );
  const [first = {}] = devices;
  terminal.progress(`Dry run on ${nameOfTarget(first)} …`);
  const { config, rendering } = work;
  const { save: _save, ...args } = work.driver_args ?? {};
  const job = await api.call("/device/execute", jobRecord, {
    method: "POST",
    headers: { Prefer: `wait=${dryRunSeconds}` },
    body: {
      driver,
      ...("device" in first
        ? { device: first.device, connection_args }
        : { connection_args: { ...connection_args, ...first } }),
      config,
      rendering,
      ...dryRunOf({ config, driver_args: args }),
    },
  });
  terminal.progress(undefined);
  terminal.note(`Dry run on ${nameOfTarget(first)}:`);
  terminal.note(shown(blockOf(job, { paint: (_colour, text) => text })).trimEnd());
}

function isLines(config: Work["config"]): config is readonly string[] {
  return Array.isArray(config);
}

function namesOf(targets: readonly Target[]): string {
  const omitted = targets.length - maxHosts;
  const names = targets.slice(0, maxHosts).map(nameOfTarget).join(", ");
  return `${names}${omitted > 0 ? ` and ${omitted} more` : ""}`;
}
