/** Shows a push before its confirmation: the lines, the devices, and a dry run on the first of them. */
import { ServiceError } from "../../base/errors.ts";
import { shown } from "../../base/text/terminal-text.ts";
import { plural } from "../../client/output/numbers.ts";
import {
  groupedByLines,
  nameOfTarget,
  type Rendered,
  renderedFor,
  type Target,
} from "../../client/output/rendered.ts";
import { blockOf } from "../../client/output/results.ts";
import { job as jobRecord } from "../../client/service/answers.ts";
import { driverTakes } from "../../client/service/openapi.ts";
import type { Bulk } from "../../client/service/submission.ts";
import type { TemplateWork } from "../../client/service/templates.ts";
import type { Session } from "./action.ts";
import { noteWarnings } from "./action.ts";
import type { Shared } from "./devices.ts";

/** The work shared by all devices. */
export interface Work extends Shared {
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

export const dryRunOf = ({ driver_args }: Work) => ({ driver_args: { ...driver_args, dry_run: true } });

/** @throws ServiceError Cancelled: not confirmed */
export async function ask(bulks: readonly Bulk[], work: Work, session: Session): Promise<void> {
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
