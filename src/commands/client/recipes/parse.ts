/** `patchbay parse`: parses the output of a command with the service. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { asRead } from "../../../base/text/terminal-text.ts";
import { readInput } from "../../../client/input/input.ts";
import { cellOf, csvText, jsonLine, tableText } from "../../../client/output/table.ts";
import { anything, asRows } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import {
  clientCommand,
  noteWarnings,
  openSession,
  runToExit,
  type Surroundings,
  withServer,
} from "../parts/action.ts";
import { type FormFlags, withForms } from "../parts/lists.ts";

interface ParseFlags extends ServerFlags, FormFlags {
  readonly template?: string;
  readonly engine?: string;
  readonly platform?: string;
  readonly command?: string;
  readonly strict?: boolean;
}

export function defineParse(parent: Command): void {
  const command = clientCommand(
    parent,
    "parse <output-file>",
    "parse a command's output with a template or a template set; `-` reads standard input",
  )
    .option("--template <file>", "the template; its engine is detected, or set by --engine")
    .option("--engine <name>", "the parser, as GET /plugin lists them")
    .option("--platform <name>", "for a template set: the platform, such as cisco_ios")
    .option("--command <text>", "for a template set: the command that produced the output");
  withForms(withServer(command.option("--strict", "treat likely template mistakes as errors"))).action(
    (file: string, flags: ParseFlags) => runToExit((surroundings) => parse(file, flags, surroundings)),
  );
}

async function parse(file: string, flags: ParseFlags, surroundings: Surroundings): Promise<number> {
  const { template, engine, platform, command, strict } = flags;
  const bySet = platform !== undefined && command !== undefined;
  if ((platform === undefined) !== (command === undefined))
    throw new ServiceError("Validation", "--platform and --command must be used together.");
  if (template === undefined && !bySet && engine === undefined)
    throw new ServiceError(
      "Validation",
      "No parser was given: use --template, --platform with --command, or --engine.",
    );
  const body = {
    name: engine,
    ...(strict === true ? { strict } : {}),
    ...(template === undefined ? {} : { template: readInput(template) }),
    ...(bySet ? { use_ntc_template: true, ntc_template_args: { platform, command } } : {}),
    context: readInput(file),
  };
  const { api, terminal } = openSession(flags, surroundings);
  const { data, warnings } = await api.page("/template/parse", anything, { method: "POST", body });
  noteWarnings(terminal, warnings);
  const table = asRows(data);
  if (flags.json === true || !table) {
    const records = Array.isArray(data) ? data : [data];
    await terminal.write(records.map((record) => `${jsonLine(record)}\n`).join(""));
    return 0;
  }
  const header = [...new Set(table.flatMap(Object.keys))];
  const cells = table.map((row) => header.map((name) => cellOf(row[name])));
  await terminal.write(
    flags.csv === true
      ? asRead(csvText(header, cells), terminal)
      : tableText(header, cells, terminal.columns),
  );
  return 0;
}
