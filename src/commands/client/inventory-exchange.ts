/** `patchbay inventory import|export`: exchanges the inventory with other tools as files. */
import { basename, extname } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { stringifyExact } from "../../base/json/exact-json.ts";
import { shown } from "../../base/text/terminal-text.ts";
import {
  formatsByExtension,
  formatWithVariables,
  usualExportFormats,
  usualImportFormats,
} from "../../client/defaults.ts";
import { readInput } from "../../client/input/input.ts";
import { type Changes, changes } from "../../client/input/selected.ts";
import { plural } from "../../client/output/numbers.ts";
import {
  type OverwriteFlag,
  overwriteHint,
  requireNew,
  writeOutput,
} from "../../client/output/output-files.ts";
import { withVariables } from "../../client/service/ansible-files.ts";
import type { ServerFlags } from "../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "./action.ts";

interface ImportFlags extends ServerFlags {
  readonly format?: string;
  readonly mode?: string;
  readonly createGroups?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly maxChanges?: string;
  readonly maxRemovals?: string;
}

interface ExportFlags extends ServerFlags, OverwriteFlag {
  readonly format: string;
  readonly select?: string;
  readonly group?: string;
  readonly output?: string;
}

const maxShown = 20;

export function defineExchange(parent: Command): void {
  withServer(
    clientCommand(
      parent,
      "import <file>",
      "import devices from a file, after showing the changes and asking",
    ),
  )
    .option("--format <format>", `${usualImportFormats.join(", ")} (default: by the name of the file)`)
    .option("--mode <mode>", "merge (default), replace or mirror, which removes what the file does not name")
    .option("--create-groups", "create groups that the file names and that do not exist")
    .option("--dry-run", "show what would change, without changing it")
    .option("--max-changes <number>", "refuse the import if it would change more entries")
    .option("--max-removals <number>", "refuse the import if it would remove more entries")
    .option("--yes", "do not ask")
    .action((file: string, flags: ImportFlags) =>
      runToExit((surroundings) => importFile(file, flags, surroundings)),
    );
  withServer(clientCommand(parent, "export", "export devices in the format of another tool"))
    .option("--format <format>", usualExportFormats.join(", "), "yaml")
    .option("--select <selector>", "devices that this selector matches")
    .option("--group <name>", "devices of this group and of groups below it")
    .option("--output <file>", "where to write it (default: standard output)")
    .option("--overwrite", overwriteHint)
    .action((flags: ExportFlags) => runToExit((surroundings) => exportFile(flags, surroundings)));
}

async function importFile(file: string, flags: ImportFlags, surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  const asks = flags.yes !== true && flags.dryRun !== true;
  if (asks && !terminal.isAttended)
    throw new ServiceError(
      "Validation",
      "An import needs confirmation at a terminal: use --yes or --dry-run.",
    );
  const input = readInput(file);
  const format = flags.format ?? formatsByExtension[extname(basename(file)).toLowerCase()];
  if (format === undefined)
    throw new ServiceError("Validation", `--format is needed: ${usualImportFormats.join(", ")}.`);
  const { api } = openSession(flags, surroundings);
  const { mode, createGroups, maxChanges, maxRemovals } = flags;
  const query = {
    format,
    mode,
    create_groups: createGroups,
    max_changes: maxChanges,
    max_removals: maxRemovals,
  };
  const isAnsible = format === formatWithVariables && file !== "-";
  const { text, files } = isAnsible ? withVariables(file, input) : { text: input, files: 0 };
  if (files > 0) terminal.note(`With ${plural(files, "file")} of group_vars and host_vars beside it.`);
  const send = (dryRun: boolean) =>
    api.page("/inventory/import", changes, {
      method: "POST",
      query: { ...query, dry_run: dryRun },
      text,
      exact: true,
    });
  if (asks || flags.dryRun === true) {
    const { data: would, warnings } = await send(true);
    terminal.note(`${changesText(would)}${diffText(would)}${warningsText(warnings)}`);
    if (flags.dryRun === true) return 0;
    if (would.added + would.changed + would.removed === 0) return 0;
    const answer = await terminal.ask("Apply these changes? Type yes: ");
    if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was changed.");
  }
  const { data: done, warnings } = await send(false);
  terminal.note(`${changesText(done)}${asks ? "" : warningsText(warnings)}`);
  return 0;
}

function warningsText(warnings: readonly string[] = []): string {
  return shown(warnings.map((warning) => `\n    warning: ${warning}`).join(""));
}

export function changesText({ added, changed, removed, unchanged }: Changes): string {
  return `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged.`;
}

function diffText({ diff }: Changes): string {
  const lines = diff.slice(0, maxShown).map(({ kind, name, change, fields }) => {
    const changes = Object.entries(fields).map(
      ([field, { from, to }]) => `${field} ${stringifyExact(from ?? null)} -> ${stringifyExact(to ?? null)}`,
    );
    return `    ${change} ${kind} ${name}${change === "changed" ? `: ${changes.join(", ")}` : ""}`;
  });
  const more = diff.length > maxShown ? [`    … and ${diff.length - maxShown} more`] : [];
  return shown(["", ...lines, ...more].join("\n"));
}

async function exportFile(flags: ExportFlags, surroundings: Surroundings): Promise<number> {
  requireNew(flags.output, flags);
  const { api, terminal } = openSession(flags, surroundings);
  const { format, select, group, output } = flags;
  const response = await api.stream("/inventory/export", { query: { format, select, group } });
  const text = await response.text();
  if (output === undefined) await terminal.write(text);
  else {
    writeOutput(output, text, flags);
    terminal.note(`${output} is written.`);
  }
  return 0;
}
