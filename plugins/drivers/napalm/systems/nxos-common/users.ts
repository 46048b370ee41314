/** `get_users` of NX-OS, from the configuration. */

import { boundedText } from "../../common/bounded.ts";
import { slot } from "../../common/records.ts";
import { linesOf } from "../../common/text.ts";
import type { User } from "../../models.ts";

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
