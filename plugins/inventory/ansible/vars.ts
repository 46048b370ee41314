/** Maps Ansible variables to device fields. Secrets are skipped with a warning that names them. */
import { isRecord, isSecretName, type Notes, orderedEntries, orderedRecord, vaulted } from "patchbay/plugin";
import { withoutSecrets } from "../shared/fields.ts";
import type { Values } from "../shared/single-group.ts";
import { driverOfAnsible, platformOf } from "./names.ts";

/** A map, because variables may be named like a member of every object, such as `constructor`. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["ansible_ssh_host", "ansible_host"],
  ["ansible_ssh_port", "ansible_port"],
  ["ansible_ssh_user", "ansible_user"],
]);

const encrypted = "it is encrypted by ansible-vault: use a credential for secrets";

/** Not `tags`, which is a keyword of playbooks. */
export const tagsVariable = "device_tags";

export interface AnsibleVars {
  readonly values: Values;
  /** `ansible_group_priority`: among groups of the same depth the higher wins. */
  readonly priority: number;
}

export function ansibleValues(
  vars: ReadonlyMap<string, unknown>,
  of: "host" | "group",
  at: string,
  notes: Notes,
): AnsibleVars {
  const values = new Map<string, unknown>();
  let priority = 1;
  const omit = (name: string, why: string) => notes.add(at, `${name} was omitted: ${why}`);
  const secret = (name: string) => omit(name, "it is a secret: use a credential");

  function take(written: string, value: unknown): void {
    const name = renamed.get(written) ?? written;
    if (isSecretName(name) || /_pass$/.test(name)) return void secret(written);
    if (value === vaulted) return void omit(written, encrypted);
    if (name.startsWith("ansible_")) return void takeOwn(name, value);
    if (["site", "role"].includes(name) && typeof value === "string" && value !== "") values.set(name, value);
    else if (name === tagsVariable && Array.isArray(value) && value.every((tag) => typeof tag === "string"))
      values.set("tags", value);
    else
      values.set(
        `vars.${name}`,
        plain(withoutSecrets(value, secret), written, (where) =>
          notes.add(at, `${where} is null: ${encrypted}`),
        ),
      );
  }

  /** Handles a variable that Ansible itself defines. */
  function takeOwn(name: string, value: unknown): void {
    if (typeof value === "string" && /\{\{|\{%/.test(value))
      return void omit(name, "it is an Ansible template");
    if (name === "ansible_group_priority") priority = Number.isFinite(Number(value)) ? Number(value) : 1;
    else if (name === "ansible_host" && of === "host") values.set("host", String(value));
    else if (name === "ansible_port") values.set("port", typeof value === "string" ? Number(value) : value);
    else if (name === "ansible_user") values.set("connection.username", String(value));
    else if (name === "ansible_network_os") values.set("platform", platformOf(String(value)));
    else if (name === "ansible_connection") takeConnection(String(value));
    else omit(name, "it is not used here");
  }

  function takeConnection(value: string): void {
    const driver = driverOfAnsible(value, String(vars.get("ansible_network_os") ?? ""));
    if (driver === undefined) omit("ansible_connection", "no driver corresponds to it");
    else values.set("driver", driver);
  }

  for (const [name, value] of vars) take(name, value);
  return { values, priority };
}

/** Replaces vault-encrypted values at any depth by null, and reports their paths to `lost`. */
function plain(value: unknown, where: string, lost: (where: string) => void, depth = 0): unknown {
  if (value === vaulted) {
    lost(where);
    return null;
  }
  if (depth > 64) return value;
  if (Array.isArray(value))
    return value.map((member, at) => plain(member, `${where}.${at}`, lost, depth + 1));
  if (!isRecord(value)) return value;
  const members = orderedEntries(value);
  return orderedRecord(
    members.map(([name, member]) => [name, plain(member, `${where}.${name}`, lost, depth + 1)]),
  );
}
