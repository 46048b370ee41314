/** `patchbay inventory`: lists, selects, shows, sets and removes devices and groups; imports and exports files. */

import { basename, extname } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { orderedEntries, orderedRecord, stringifyExact } from "../../../base/json/exact-json.ts";
import { isRecord } from "../../../base/json/members.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import {
  formatsByExtension,
  formatWithVariables,
  usualExportFormats,
  usualImportFormats,
} from "../../../client/defaults.ts";
import { readInput } from "../../../client/input/input.ts";
import { readPairs } from "../../../client/input/pairs.ts";
import {
  allGroups,
  type Changes,
  changes,
  type InventoryDevice,
  inventoryEntry,
  selectedDevices,
} from "../../../client/input/selected.ts";
import { plural, readInteger } from "../../../client/output/numbers.ts";
import {
  type OverwriteFlag,
  overwriteHint,
  requireNew,
  writeOutput,
} from "../../../client/output/output-files.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { withVariables } from "../../../client/rooms/ansible-files.ts";
import { readCredential } from "../../../client/rooms/inventory.ts";
import { anything } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { confirmRemoval } from "../parts/removal.ts";

interface ListFlags extends ServerFlags, FormFlags {
  readonly select?: string;
  readonly group?: string;
  readonly groups?: boolean;
  readonly limit: string;
}

interface EntryFlags extends ServerFlags {
  readonly group?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const columns: Columns<InventoryDevice> = {
  name: ({ name }) => name,
  host: ({ host }) => host ?? "",
  driver: ({ driver }) => driver ?? "",
  platform: ({ platform }) => platform ?? "",
  site: ({ site }) => site ?? "",
  role: ({ role }) => role ?? "",
  group: ({ group }) => group ?? "",
  tags: ({ tags }) => (tags ?? []).join(","),
  enabled: ({ enabled }) => (enabled === false ? "no" : "yes"),
};
const ofGroup = ["--group", "a group instead of a device"] as const;

export function defineInventory(parent: Command): void {
  const command = parent.command("inventory").description("devices and groups of the service's inventory");
  withForms(withServer(withList(clientCommand(command, "list", "list devices, with what they inherit"))))
    .option(
      "--select <selector>",
      "devices that this selector matches, such as 'site:berlin and not tag:lab'",
    )
    .option("--groups", "groups instead of devices")
    .action((flags: ListFlags) => runToExit((surroundings) => list(flags, surroundings)));
  withForms(
    withServer(
      withList(clientCommand(command, "select <selector>", "show the devices that a selector matches")),
    ),
  ).action((select: string, flags: ListFlags) =>
    runToExit((surroundings) => list({ ...flags, select }, surroundings)),
  );
  withServer(clientCommand(command, "show <name>", "show a device, and where its values come from"))
    .option(...ofGroup)
    .option("--json", "as JSON")
    .action((name: string, flags: EntryFlags) =>
      runToExit((surroundings) => show(name, flags, surroundings)),
    );
  withServer(
    clientCommand(
      command,
      "set <name> <field=value...>",
      "create or change a device: host=10.0.0.1 tags=lab,core vars.ntp=10.0.0.9; an empty value removes a field",
    ),
  )
    .option(...ofGroup)
    .action((name: string, fields: string[], flags: EntryFlags) =>
      runToExit((surroundings) => set(name, fields, flags, surroundings)),
    );
  withServer(clientCommand(command, "remove <name>", "remove a device, after confirmation"))
    .option(...ofGroup)
    .option("--yes", "do not ask")
    .action((name: string, flags: EntryFlags) =>
      runToExit((surroundings) => remove(name, flags, surroundings)),
    );
  defineExchange(command);
}

function withList(command: Command): Command {
  return command
    .option("--group <name>", "devices of this group and of groups below it")
    .option("--limit <number>", "maximum number", "100000");
}

async function list(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const { api, terminal } = openSession(flags, surroundings);
  const limit = readInteger(flags.limit, "--limit", 1, 100_000);
  const { select, group } = flags;
  const entries =
    flags.groups === true
      ? await allGroups(api, limit)
      : await selectedDevices(api, { select, group }, limit);
  await printList(entries, columns, flags, terminal);
  if (flags.json !== true && flags.csv !== true && select !== undefined)
    terminal.note(`${plural(entries.length, "device")}.`);
  return 0;
}

const pathOf = (name: string, { group }: EntryFlags) =>
  `/inventory/${group === true ? "group" : "device"}/${encodeURIComponent(name)}`;

async function show(name: string, flags: EntryFlags, surroundings: Surroundings): Promise<number> {
  const { api, terminal } = openSession(flags, surroundings);
  const entry = await api.call(pathOf(name, flags), inventoryEntry, { exact: true });
  if (flags.json === true) {
    await terminal.write(`${jsonLine(entry)}\n`);
    return 0;
  }
  const { from: sources = {}, ...fields } = entry;
  const facts = Object.entries(fields).map(([field, value]): [string, string] => {
    const shownValue = textOf(value);
    const source = sources[field] ?? sourcesOfMembers(field, sources);
    return [field, shownValue === "" || source === "" ? shownValue : `${shownValue}  (${source})`];
  });
  await terminal.write(shown(factsText(facts.filter(([, value]) => value !== ""))));
  return 0;
}

/** Origins of the members of `vars`, `connection` and `tags`: `ntp device, code group:campus`. */
function sourcesOfMembers(field: string, sources: Readonly<Record<string, string>>): string {
  const members = Object.entries(sources).filter(([path]) => path.startsWith(`${field}.`));
  return members.map(([path, source]) => `${path.slice(field.length + 1)} ${source}`).join(", ");
}

/** The value as text, without null members. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (!isRecord(value) && !Array.isArray(value)) return String(value);
  const present = Array.isArray(value)
    ? value
    : orderedRecord(orderedEntries(value).filter(([, it]) => it !== null));
  return Object.keys(present).length === 0 ? "" : stringifyExact(present);
}

async function set(
  name: string,
  fields: readonly string[],
  flags: EntryFlags,
  surroundings: Surroundings,
): Promise<number> {
  const entry = { name, ...readFields(fields) };
  const { api, terminal } = openSession(flags, surroundings);
  const body = flags.group === true ? { groups: [entry] } : { devices: [entry] };
  const answer = await api.call("/inventory/device", changes, { method: "POST", body });
  terminal.note(changesText(answer));
  return 0;
}

async function remove(name: string, flags: EntryFlags, surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  await confirmRemoval(name, flags, terminal);
  const { api } = openSession(flags, surroundings);
  await api.call(pathOf(name, flags), anything, { method: "DELETE" });
  terminal.note(`${name} is removed.`);
  return 0;
}

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

function defineExchange(parent: Command): void {
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

function changesText({ added, changed, removed, unchanged }: Changes): string {
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

/**
 * Fields of a device on the command line: `host=10.0.0.1`, `tags=lab,core`, `vars.ntp=10.0.0.9`.
 * @throws ServiceError Validation: not of the form field=value, or a secret
 */
function readFields(pairs: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const members: Record<string, Record<string, unknown>> = {};
  for (const pair of pairs) {
    const [, field = "", member, text = ""] = /^([a-z_]+)(?:\.([\w-]+))?=(.*)$/s.exec(pair) ?? [];
    if (field === "")
      throw new ServiceError(
        "Validation",
        `${JSON.stringify(pair)} is not of the form field=value, such as site=berlin.`,
      );
    if (member !== undefined)
      members[field] = { ...members[field], ...readPairs([`${member.replaceAll("-", "_")}=${text}`], field) };
    else fields[field] = fieldValue(field, text);
  }
  return { ...fields, ...members };
}

function fieldValue(field: string, text: string): unknown {
  if (text === "") return null;
  if (field === "tags") return text.split(",").map((tag) => tag.trim());
  if (field === "credential" && !text.startsWith("{")) return readCredential(text);
  if (field === "port") return Number(text);
  if (field === "enabled" && /^(true|false)$/.test(text)) return text === "true";
  return text.startsWith("{") || text.startsWith("[") ? readPairs([`${field}=${text}`], field)[field] : text;
}
