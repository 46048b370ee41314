/** Writes Nornir's SimpleInventory: its three YAML files in one JSON object. */
import type { OwnDevice, OwnGroup } from "../../api/inventory.ts";
import { yamlOf } from "../../base/yaml/yaml-write.ts";
import { nameOfPlatform } from "../import/platforms.ts";
import { compact, type Exported, withFields } from "./entries.ts";

export function* nornirPieces({ devices, groups }: Exported): Generator<string> {
  yield '{"hosts":"';
  if (devices.length === 0) yield "{}";
  for (const { own, effective } of devices) yield member(own.name, fieldsOf(own, own.group, effective.host));
  yield '","groups":"';
  if (groups.length === 0) yield "{}";
  for (const group of groups) yield member(group.name, fieldsOf(group, group.parent, undefined));
  yield '","defaults":"{}"}\n';
}

function member(name: string, fields: object): string {
  return JSON.stringify(yamlOf({ [name]: fields })).slice(1, -1);
}

function fieldsOf(entry: OwnDevice | OwnGroup, group: string | undefined, host: string | undefined) {
  const { port, platform, site, role, tags, vars, connection } = entry;
  const username = connection?.username;
  return compact({
    hostname: host,
    port,
    username: typeof username === "string" ? username : undefined,
    platform: platform === undefined ? undefined : nameOfPlatform("short", platform),
    groups: group === undefined ? undefined : [group],
    data: withFields(vars, { site, role, tags }),
  });
}
