/** Nornir's SimpleInventory: hosts, groups and defaults, each a YAML text; together they are one JSON object. */
import {
  type ExportedInventory,
  InventoryError,
  type InventoryFile,
  type InventoryFormat,
  type InventoryFormatKit,
  type Issues,
  invalid,
  inventoryTextLimits,
  isRecord,
  isSecretName,
  Notes,
  orderedEntries,
  type ReadInventory,
  RowIssues,
  requireCount,
  type WrittenDevice,
  type WrittenGroup,
} from "patchbay/plugin";
import { compact, type Fields, keyNamed, named, withFields, withoutSecrets } from "../shared/fields.ts";
import { type SourceGroup, type SourceHost, toSingleGroup, type Values } from "../shared/single-group.ts";

export default ({ readYaml, writeYaml }: InventoryFormatKit): InventoryFormat => ({
  read: (text) => readFiles(text, readYaml),
  write: (inventory) => pieces(inventory, writeYaml),
  join: joined,
});

/** Names of NAPALM and Nornir, which are valid names of the driver napalm as well, and Netmiko's. */
const platforms: Readonly<Record<string, string>> = {
  eos: "arista_eos",
  ios: "cisco_ios",
  iosxr: "cisco_xr",
  junos: "juniper_junos",
  nxos: "cisco_nxos",
  nxos_ssh: "cisco_nxos",
};

const parts = ["hosts", "groups", "defaults"] as const;
type Part = (typeof parts)[number];

const hostFields = [
  "name",
  "hostname",
  "port",
  "username",
  "password",
  "platform",
  "groups",
  "data",
  "connection_options",
];

/** @param text JSON: `{"hosts": "<YAML>", "groups": "<YAML>", "defaults": "<YAML>"}`. @throws ServiceError Validation */
function readFiles(text: string, readYaml: InventoryFormatKit["readYaml"]): ReadInventory {
  const texts = textsOf(text);
  const notes = new Notes();
  const problems = new RowIssues();
  const read = (part: Part) => {
    const { value, warnings, lineOf } = readYaml(texts[part] ?? "", `${part} `, "ruamel");
    notes.addRead(warnings, `${part} `);
    if (value !== null && value !== undefined && !isRecord(value))
      throw invalid(`${part} line 1`, "must map names to objects");
    const entries = orderedEntries(value ?? {});
    return { entries, place: (name: string) => `${part} line ${lineOf([name]) ?? 1}`, all: value ?? {} };
  };
  const defaults = read("defaults");
  const groupsRead = read("groups");
  const hostsRead = read("hosts");
  requireCount(groupsRead.entries.length, inventoryTextLimits.groups - 1, "groups");
  requireCount(hostsRead.entries.length, inventoryTextLimits.devices, "devices");

  const base = valuesOf(
    isRecord(defaults.all) ? defaults.all : {},
    "defaults line 1",
    "group",
    notes,
    problems,
  );
  const names = new Set(groupsRead.entries.map(([name]) => name));
  const root = base.size === 0 ? undefined : names.has("defaults") ? "nornir-defaults" : "defaults";
  const groups = new Map<string, SourceGroup>();
  if (root !== undefined)
    groups.set(root, { name: root, parent: undefined, values: base, at: "defaults line 1" });
  const above = new Map<string, readonly string[]>();
  for (const [name, body] of groupsRead.entries) {
    const at = groupsRead.place(name);
    const fields = bodyOf(body, at, problems);
    const parents = namesOf(fields.groups, names, at, problems);
    above.set(name, parents);
    groups.set(name, {
      name,
      parent: parents[0] ?? root,
      values: valuesOf(fields, at, "group", notes, problems),
      at,
    });
  }
  const extended = extendedGroups(above);
  const hosts = hostsRead.entries.map(([name, body]): SourceHost => {
    const at = hostsRead.place(name);
    const fields = bodyOf(body, at, problems);
    const near = namesOf(fields.groups, names, at, problems);
    const groupNames = [...new Set(near.flatMap(extended)), ...(root === undefined ? [] : [root])];
    return {
      name,
      group: near[0] ?? root,
      groups: groupNames,
      values: valuesOf(fields, at, "host", notes, problems),
      at,
    };
  });
  problems.check();
  return { ...toSingleGroup(hosts, groups, notes), warnings: notes.list() };
}

function textsOf(text: string): Partial<Record<Part, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(
      "",
      'must be JSON: {"hosts": "…", "groups": "…", "defaults": "…"}, each the text of that file',
    );
  }
  if (!isRecord(value)) throw invalid("", "must be an object with hosts, groups and defaults");
  const problems = new RowIssues();
  const texts: Partial<Record<Part, string>> = {};
  for (const [name, member] of Object.entries(value)) {
    const part = parts.find((candidate) => candidate === name);
    if (part === undefined)
      problems.add(name.slice(0, 64), "is not part of SimpleInventory: known are hosts, groups and defaults");
    else if (typeof member !== "string") problems.add(part, "must be the text of the file, as a string");
    else texts[part] = member;
  }
  if (value.hosts === undefined) problems.add("hosts", "is required");
  problems.check();
  return texts;
}

function bodyOf(body: unknown, at: string, problems: Issues): Fields {
  if (body === null || body === undefined) return {};
  if (isRecord(body)) return body;
  problems.add(at, "must hold fields such as hostname and groups");
  return {};
}

function namesOf(value: unknown, names: ReadonlySet<string>, at: string, problems: Issues): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) {
    problems.add(at, "groups: must be a list of names");
    return [];
  }
  const missing = value.filter((name) => !names.has(name));
  for (const name of missing)
    problems.add(at, `groups: there is no group ${JSON.stringify(name.slice(0, 128))}`);
  return value.filter((name) => names.has(name));
}

/** A group and its ancestors, depth first: Nornir's lookup order. */
function extendedGroups(above: ReadonlyMap<string, readonly string[]>): (name: string) => readonly string[] {
  const cache = new Map<string, readonly string[]>();
  return (name) => {
    const before = cache.get(name);
    if (before) return before;
    const ancestors = new Set<string>();
    const open = [name];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (ancestors.has(at)) continue;
      ancestors.add(at);
      open.push(...[...(above.get(at) ?? [])].reverse());
    }
    cache.set(name, [...ancestors]);
    return [...ancestors];
  };
}

function valuesOf(fields: Fields, at: string, of: "host" | "group", notes: Notes, problems: Issues): Values {
  const values = new Map<string, unknown>();
  const omit = (name: string) => notes.add(at, `${name} was omitted: it is a secret, use a credential`);
  const { port, data } = fields;
  /** Nornir turns numbers into text, too. */
  const textOf = (name: "hostname" | "username" | "platform"): string | undefined => {
    const value = fields[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (isRecord(value) || Array.isArray(value)) problems.add(at, `${name}: must be text`);
    return String(value);
  };
  const [hostname, username, platform] = [textOf("hostname"), textOf("username"), textOf("platform")];
  if (hostname !== undefined && of === "host") values.set("host", hostname);
  if (hostname !== undefined && of === "group") notes.add(at, "hostname was omitted: a group has none");
  if (port !== undefined && port !== null) values.set("port", port);
  if (username !== undefined) values.set("connection.username", username);
  if (platform !== undefined) values.set("platform", named(platforms, platform));
  if (fields.password !== undefined && fields.password !== null) omit("password");
  if (
    fields.connection_options !== undefined &&
    Object.keys(bodyOf(fields.connection_options, at, problems)).length > 0
  )
    notes.add(at, "connection_options were omitted: a device has one connection");
  for (const name of Object.keys(fields))
    if (!hostFields.includes(name))
      problems.add(at, `${JSON.stringify(name.slice(0, 64))} is not a field of SimpleInventory`);
  for (const [name, value] of orderedEntries(bodyOf(data, at, problems))) {
    if (isSecretName(name)) omit(`data.${name}`);
    else if (["site", "role"].includes(name) && typeof value === "string" && value !== "")
      values.set(name, value);
    else if (name === "tags" && isTexts(value)) values.set(name, value);
    else
      values.set(
        `vars.${name}`,
        withoutSecrets(value, (inner) => omit(`data.${name}: ${inner}`)),
      );
  }
  return values;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function* pieces(
  { devices, groups }: ExportedInventory,
  writeYaml: InventoryFormatKit["writeYaml"],
): Generator<string> {
  yield '{"hosts":"';
  if (devices.length === 0) yield "{}";
  for (const { own, effective } of devices)
    yield member(own.name, fieldsOf(own, own.group, effective.host), writeYaml);
  yield '","groups":"';
  if (groups.length === 0) yield "{}";
  for (const group of groups) yield member(group.name, fieldsOf(group, group.parent, undefined), writeYaml);
  yield '","defaults":"{}"}\n';
}

function member(name: string, fields: object, writeYaml: InventoryFormatKit["writeYaml"]): string {
  return JSON.stringify(writeYaml({ [name]: fields })).slice(1, -1);
}

function fieldsOf(entry: WrittenDevice | WrittenGroup, group: string | undefined, host: string | undefined) {
  const { port, platform, site, role, tags, vars, connection } = entry;
  const username = connection?.username;
  return compact({
    hostname: host,
    port,
    username: typeof username === "string" ? username : undefined,
    platform: platform === undefined ? undefined : keyNamed(platforms, platform),
    groups: group === undefined ? undefined : [group],
    data: withFields(vars, { site, role, tags }),
  });
}

function joined(files: readonly InventoryFile[], path: string): string {
  const texts = files.flatMap(({ name, text }) => {
    const part = parts.find((fileName) => new RegExp(`(?:^|/)${fileName}\\.ya?ml$`).test(name));
    return part === undefined ? [] : [[part, text]];
  });
  if (!texts.some(([part]) => part === "hosts"))
    throw new InventoryError(
      "CommandError",
      `There is no hosts.yaml in the folder ${path} of the repository.`,
    );
  return JSON.stringify(Object.fromEntries(texts));
}
