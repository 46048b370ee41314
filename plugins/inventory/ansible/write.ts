/** Writes an Ansible YAML inventory: each group with variables, children and hosts. */
import type { ExportedInventory, InventoryFormatKit, WrittenDevice, WrittenGroup } from "patchbay/plugin";
import { indented, withFields } from "../shared/fields.ts";
import { ansibleConnection, systemOf } from "./names.ts";
import { tagsVariable } from "./vars.ts";

export function* ansiblePieces(
  { devices, groups }: ExportedInventory,
  writeYaml: InventoryFormatKit["writeYaml"],
): Generator<string> {
  const children = Map.groupBy(groups, ({ parent }) => parent?.toLowerCase());
  const hosts = Map.groupBy(devices, ({ own }) => own.group?.toLowerCase());
  const allGroup = groups.find(({ name }) => name.toLowerCase() === "all");
  yield "all:\n";
  if (allGroup) yield vars(allGroup, "  ", writeYaml);
  yield* hostLines(
    [...(hosts.get(undefined) ?? []), ...(allGroup ? (hosts.get("all") ?? []) : [])],
    "  ",
    writeYaml,
  );
  if (groups.length > 0) yield "  children:\n";
  for (const group of groups) {
    if (group === allGroup) continue;
    yield `    ${writeYaml(group.name).trim()}:\n`;
    yield vars(group, "      ", writeYaml);
    const below = children.get(group.name.toLowerCase()) ?? [];
    if (below.length > 0)
      yield indented(
        writeYaml({ children: Object.fromEntries(below.map(({ name }) => [name, {}])) }),
        "      ",
      );
    yield* hostLines(hosts.get(group.name.toLowerCase()) ?? [], "      ", writeYaml);
  }
}

function* hostLines(
  devices: ExportedInventory["devices"],
  by: string,
  writeYaml: InventoryFormatKit["writeYaml"],
): Generator<string> {
  if (devices.length > 0) yield `${by}hosts:\n`;
  for (const { own, effective } of devices)
    yield indented(writeYaml({ [own.name]: variables(own, effective.host) }), `${by}  `);
}

function vars(group: WrittenGroup, by: string, writeYaml: InventoryFormatKit["writeYaml"]): string {
  const ownVariables = variables(group, undefined);
  return Object.keys(ownVariables).length === 0 ? "" : indented(writeYaml({ vars: ownVariables }), by);
}

function variables(entry: WrittenDevice | WrittenGroup, host: string | undefined): Record<string, unknown> {
  const { port, platform, driver, site, role, tags, connection, vars: ownVars } = entry;
  const username = connection?.username;
  return withFields(ownVars, {
    site,
    role,
    [tagsVariable]: tags,
    ansible_host: host,
    ansible_port: port,
    ansible_user: typeof username === "string" ? username : undefined,
    ansible_network_os: platform === undefined ? undefined : systemOf(platform),
    ansible_connection: ansibleConnection(driver),
  });
}
