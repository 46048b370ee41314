/** `patchbay render`: renders a template with the service, also for devices as a push would. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { asRead, shownLine } from "../../../base/text/terminal-text.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import {
  linesOf,
  nameOfTarget,
  type Rendered,
  renderedFor,
  type Target,
} from "../../../client/output/rendered.ts";
import { freeName } from "../../../client/output/results.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { readTemplateWork, type TemplateFlags } from "../../../client/rooms/templates.ts";
import { text } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import {
  clientCommand,
  noteWarnings,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  withServer,
} from "../parts/action.ts";
import { devicesOf } from "../parts/devices.ts";
import { chosenDevices, type SelectFlags, splitNamed, withSelect } from "../parts/selected.ts";
import { withTemplate } from "../parts/templates.ts";

interface RenderFlags extends ServerFlags, TemplateFlags, SelectFlags {
  readonly set?: readonly string[];
  readonly device?: string;
  readonly host?: string;
  readonly json?: boolean;
  readonly outputDir?: string;
}

export function defineRender(parent: Command): void {
  const command = clientCommand(
    parent,
    "render <template-file> [variables-file]",
    "render a template; with devices, show what a push would send to each, without sending; `-` reads the standard input",
  )
    .option("--device <names>", "inventory devices, separated by commas: adds their device, group and vars")
    .option("--host <hosts>", "hosts as for push: names of the inventory, addresses, ranges, @file")
    .option("--json", "with devices: one JSON object a line for each")
    .option("--output-dir <folder>", "with devices: a file for each, named by the device")
    .addOption(new Option("--set <name=value...>", "the same as --var").hideHelp());
  withServer(withSelect(withTemplate(command))).action(
    (template: string, variables: string | undefined, flags: RenderFlags) =>
      runToExit((surroundings) => render(template, variables, flags, surroundings)),
  );
}

async function render(
  template: string,
  variables: string | undefined,
  flags: RenderFlags,
  surroundings: Surroundings,
): Promise<number> {
  const { set = [], var: pairs = [], vars, device, host, select } = flags;
  if (variables !== undefined && vars !== undefined)
    throw new ServiceError("Validation", `${variables} and --vars cannot be combined.`);
  if ([device, host, select].filter((chosen) => chosen !== undefined).length > 1)
    throw new ServiceError("Validation", "--device, --host and --select cannot be combined.");
  if (select === undefined && (flags.limit ?? flags.sample) !== undefined)
    throw new ServiceError("Validation", "--limit and --sample need --select.");
  const file = vars ?? variables;
  const work = readTemplateWork(template, {
    ...flags,
    ...(file === undefined ? {} : { vars: file }),
    var: [...set, ...pairs],
  });
  const session = openSession(flags, surroundings);
  const targets = await targetsOf(flags, session);
  if (targets !== undefined)
    return writeRendered(renderedFor(session.api, work, targets), targets.length, flags, session);
  const { api, terminal } = session;
  const body = { ...work.rendering, context: work.context };
  const { data, warnings } = await api.page("/template/render", text, { method: "POST", body });
  noteWarnings(terminal, warnings);
  await terminal.write(asRead(withLineEnd(data), terminal));
  return exitCodes.good;
}

/** Undefined: rendered for no device. */
async function targetsOf(flags: RenderFlags, session: Session): Promise<Target[] | undefined> {
  const { device, host, select } = flags;
  if (select !== undefined)
    return (await chosenDevices(flags, session)).map(({ name }) => ({ device: name }));
  if (device !== undefined) {
    const names = device.split(",").flatMap((name) => name.trim() || []);
    if (names.length === 0) throw new ServiceError("Validation", "--device names no device.");
    return names.map((name) => ({ device: name }));
  }
  if (host === undefined) return undefined;
  const { named, others } = await splitNamed(devicesOf(host), session);
  return [...named.map(({ name }) => ({ device: name })), ...others.map(({ fields }) => fields)];
}

async function writeRendered(
  all: AsyncIterable<Rendered>,
  count: number,
  { json, outputDir, select }: RenderFlags,
  { terminal }: Session,
): Promise<number> {
  if (outputDir !== undefined) mkdirSync(outputDir, { recursive: true });
  const takenNames = new Set<string>();
  const told = new Set<string>();
  let failed = 0;
  for await (const one of all) {
    const { target, text, warnings, failure } = one;
    const name = nameOfTarget(target);
    noteWarnings(
      terminal,
      warnings.filter((warning) => !told.has(warning)),
    );
    for (const warning of warnings) told.add(warning);
    if (failure !== undefined) {
      failed++;
      terminal.note(`${name}: ${failure}`);
    }
    if (json === true)
      await terminal.write(`${jsonLine({ device: name, lines: linesOf(text), warnings, failure })}\n`);
    else if (failure !== undefined) continue;
    else if (outputDir !== undefined)
      // May hold secrets: readable by the owner only.
      writeFileSync(join(outputDir, freeName(name, "txt", takenNames)), withLineEnd(text), { mode: 0o600 });
    else {
      const head = count > 1 || select !== undefined ? `=== ${shownLine(name)}\n` : "";
      await terminal.write(terminal.paint("bold", head) + asRead(withLineEnd(text), terminal));
    }
  }
  if (failed === 0) return exitCodes.good;
  if (count > 1) terminal.note(`Rendered for ${count - failed} of ${count} devices, ${failed} failed.`);
  return exitCodes.failed;
}

const withLineEnd = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
