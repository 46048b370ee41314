/** Writes an Ansible YAML inventory: each group with variables, children and hosts. */
import type { OwnDevice, OwnGroup } from "../../api/inventory.ts";
import { indented, yamlOf } from "../../base/yaml/yaml-write.ts";
import { tagsVariable } from "../import/ansible-vars.ts";
import { nameOfPlatform } from "../import/platforms.ts";
import { ansibleConnection } from "../import/tool-drivers.ts";
import { type Exported, withFields } from "./entries.ts";

export function* ansiblePieces({ devices, groups }: Exported): Generator<string> {
  const children = Map.groupBy(groups, ({ parent }) => parent?.toLowerCase());
  const hosts = Map.groupBy(devices, ({ own }) => own.group?.toLowerCase());
  const allGroup = groups.find(({ name }) => name.toLowerCase() === "all");
  yield "all:\n";
  if (allGroup) yield vars(allGroup, "  ");
  yield* hostLines([...(hosts.get(undefined) ?? []), ...(allGroup ? (hosts.get("all") ?? []) : [])], "  ");
  if (groups.length > 0) yield "  children:\n";
  for (const group of groups) {
    if (group === allGroup) continue;
    yield `    ${keyOf(group.name)}:\n`;
    yield vars(group, "      ");
    const below = children.get(group.name.toLowerCase()) ?? [];
    if (below.length > 0)
      yield indented(yamlOf({ children: Object.fromEntries(below.map(({ name }) => [name, {}])) }), "      ");
    yield* hostLines(hosts.get(group.name.toLowerCase()) ?? [], "      ");
  }
}

function* hostLines(devices: Exported["devices"], by: string): Generator<string> {
  if (devices.length > 0) yield `${by}hosts:\n`;
  for (const { own, effective } of devices)
    yield indented(yamlOf({ [own.name]: variables(own, effective.host) }), `${by}  `);
}

function vars(group: OwnGroup, by: string): string {
  const ownVariables = variables(group, undefined);
  return Object.keys(ownVariables).length === 0 ? "" : indented(yamlOf({ vars: ownVariables }), by);
}

function variables(entry: OwnDevice | OwnGroup, host: string | undefined): Record<string, unknown> {
  const { port, platform, driver, site, role, tags, connection, vars: ownVars } = entry;
  const username = connection?.username;
  return withFields(ownVars, {
    site,
    role,
    [tagsVariable]: tags,
    ansible_host: host,
    ansible_port: port,
    ansible_user: typeof username === "string" ? username : undefined,
    ansible_network_os: platform === undefined ? undefined : nameOfPlatform("ansible", platform),
    ansible_connection: ansibleConnection(driver),
  });
}

const keyOf = (name: string) => yamlOf(name).trim();
