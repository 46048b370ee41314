/** `patchbay inventory`: lists, selects, shows, sets and removes devices and groups. */
import type { Command } from "commander";
import { orderedEntries, orderedRecord, stringifyExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { shown } from "../../base/text/terminal-text.ts";
import { readFields } from "../../client/input/inventory-fields.ts";
import {
  allGroups,
  changes,
  type InventoryDevice,
  inventoryEntry,
  selectedDevices,
} from "../../client/input/selected.ts";
import { plural, readInteger } from "../../client/output/numbers.ts";
import { factsText } from "../../client/output/progress.ts";
import { jsonLine } from "../../client/output/table.ts";
import { anything } from "../../client/service/answers.ts";
import type { ServerFlags } from "../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "./action.ts";
import { changesText, defineExchange } from "./inventory-exchange.ts";
import { type Columns, type FormFlags, printList, withForms } from "./lists.ts";
import { confirmRemoval } from "./removal.ts";

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
