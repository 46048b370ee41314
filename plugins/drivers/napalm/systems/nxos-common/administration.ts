/** SNMP and users of NX-OS, from the configuration. */
import { boundedText } from "../../common/bounded.ts";
import { slot } from "../../common/records.ts";
import { linesOf } from "../../common/text.ts";
import type { Snmp, User } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";

const community =
  /^snmp-server\scommunity\s(\S+)\s(?:group\s+(network-admin|network-operator)|use-\S+(?:\s+\S+){0,4}?\s+(\S+))\s*$/;

const running = "show running-config";
const noSnmp = { contact: "", location: "", community: {}, chassis_id: "" };

export const getSnmpInformation: Getter<NxosDevice, "get_snmp_information"> = async (device) =>
  snmpOf(await device.text(running)) ?? noSnmp;

export const getUsers: Getter<NxosDevice, "get_users"> = async (device) =>
  usersOf(await device.text(running));

/** Undefined if the configuration has no SNMP lines. */
function snmpOf(config: string): Snmp | undefined {
  let isConfigured = false;
  const communities: Record<string, { acl: string; mode: string }> = {};
  const of = { contact: "", location: "" };
  for (const line of linesOf(boundedText(config))) {
    const [, field, value = ""] = /^snmp-server\s(location|contact)\s(.*)$/.exec(line) ?? [];
    if (field === "location" || field === "contact") {
      of[field] = value;
      isConfigured = true;
    }
    const [, name, mode, acl] = community.exec(line) ?? [];
    if (name === undefined) continue;
    isConfigured = true;
    const entry = slot(communities, name, () => ({ acl: "", mode: "" }));
    if (mode !== undefined) entry.mode = mode;
    if (acl !== undefined) entry.acl = acl;
  }
  return isConfigured ? { ...of, community: communities, chassis_id: "" } : undefined;
}

const levels: Readonly<Record<string, number>> = { "network-admin": 15, "network-operator": 5 };
const withPassword = /^username\s+(\S+)\s+password\s+\d+\s+(\S+)\s+role\s+(\w\S*)\s*$/;
const withRole = /^username\s+(\S+)\s+role\s+(\w\S*)\s*$/;
const withKey = /^username\s+(\S+)\s+sshkey\s+(ssh-rsa|ssh-dsa)\s+(\w.*)$/;

/** The highest role of a user determines the level. */
export function usersOf(config: string): Record<string, User> {
  const users: Record<string, { password: string; level: number; sshkeys: string[] }> = {};
  const userOf = (name: string) => slot(users, name, () => ({ password: "", level: 0, sshkeys: [] }));
  for (const line of linesOf(boundedText(config))) {
    const password = withPassword.exec(line);
    const role = password === null ? withRole.exec(line) : null;
    const key = withKey.exec(line);
    if (password !== null) {
      const [, name = "", hash = "", of = ""] = password;
      const user = userOf(name);
      user.password = hash;
      user.level = Math.max(user.level, levelOf(of));
    } else if (role !== null) {
      const user = userOf(role[1] ?? "");
      user.level = Math.max(user.level, levelOf(role[2] ?? ""));
    } else if (key !== null) userOf(key[1] ?? "").sshkeys.push(key[3] ?? "");
  }
  return users;
}

function levelOf(role: string): number {
  const privilege = /^priv-(\d{1,2})$/.exec(role);
  return privilege === null ? (levels[role] ?? 0) : Number(privilege[1]);
}
