/** `patchbay push`: pushes configuration to devices, after confirmation. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { type CheckFlags, readChecks } from "../../client/input/checks.ts";
import { readInput } from "../../client/input/input.ts";
import { nameOfTarget } from "../../client/output/rendered.ts";
import { anything } from "../../client/service/answers.ts";
import { driverTakes } from "../../client/service/openapi.ts";
import type { ServerFlags } from "../../client/service/server.ts";
import type { Bulk, DeviceFlags } from "../../client/service/submission.ts";
import { readTemplateWork, requireTemplate, type TemplateFlags } from "../../client/service/templates.ts";
import {
  clientCommand,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  withServer,
} from "./action.ts";
import {
  bulksOf,
  devicesOf,
  hostsArgument,
  type PurposeFlags,
  sharedOf,
  withDevices,
  withPurpose,
  withResults,
} from "./devices.ts";
import { ask, dryRunOf, type Work } from "./push-preview.ts";
import { chosenDevices, inventoryBulks, requireOne, type SelectFlags, withSelect } from "./selected.ts";
import { submitBulks } from "./submit.ts";
import { withTemplate } from "./templates.ts";
import { checkResultFlags, type WatchFlags, watchBulks } from "./watch.ts";

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
  readonly detach?: boolean;
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
    .option("--check <check...>", "check around the push: 'after: show ip bgp summary contains Established'")
    .option("--checks <file>", "checks as in a request, in YAML or JSON")
    .option("--settle <seconds>", "wait between the push and the checks after it")
    .option("--on-failure <what>", "if a check fails after the push: undo (default) or keep")
    .option("--detach", "print the id of the bulk and exit");
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
  const asks = flags.yes !== true && flags.dryRun !== true;
  if (asks && !terminal.isAttended)
    throw new ServiceError("Validation", "A push needs confirmation at a terminal: use --yes or --dry-run.");
  if (hosts === "-" && [file, flags.template, flags.vars].includes("-"))
    throw new ServiceError("Validation", "Hosts and lines cannot both come from standard input.");
  const devices = hosts === undefined ? undefined : devicesOf(hosts);
  const pushed = pushedOf(file, flags);
  const checks = readChecks(flags);
  if (checks !== undefined && flags.dryRun === true)
    throw new ServiceError("Validation", "--dry-run pushes nothing: there is nothing to check.");
  if (flags.save === true && flags.dryRun === true)
    throw new ServiceError("Validation", "--dry-run pushes nothing: there is nothing to save.");
  const shared = sharedOf(flags);
  const work: Work = {
    ...shared,
    ...(flags.save === undefined ? {} : { driver_args: { ...shared.driver_args, save: flags.save } }),
    ...pushed,
    ...(checks === undefined ? {} : { checks }),
  };
  const session = openSession(flags, surroundings);
  await session.api.call("/health", anything);
  const bulks =
    devices === undefined
      ? // Resolved once, so that the push goes to exactly the devices shown.
        await inventoryBulks(await chosenDevices(flags, session), flags, session)
      : await bulksOf(devices, flags, session);
  if (flags.dryRun === true) await requireArgument("dry_run", "dry run", bulks, session);
  if (flags.save === true) await requireArgument("save", "save", bulks, session);
  if (asks) await ask(bulks, work, session);
  const submitted = flags.dryRun === true ? { ...work, ...dryRunOf(work) } : work;
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
