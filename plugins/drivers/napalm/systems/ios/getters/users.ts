/** `get_users` of IOS; SSH keys are shown as fingerprints. */
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { User } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

const userLine = /^username\s+(\S+)(?:\s+privilege\s+(\d+))?(?:\s+(?:password|secret)\s+\d+\s+(\S+))?\s*$/;

export const getUsers: Getter<IosDevice, "get_users"> = async (device) => {
  let output = await device.ask("show run | section username");
  if (isUnknown(output)) output = await device.ask("show run | include username");
  const users: Record<string, User & { sshkeys: string[] }> = {};
  const keys: (readonly [name: string, key: string])[] = [];
  let keysOf: string | undefined;
  for (const line of linesOf(output)) {
    const [, name, level, password] = userLine.exec(line) ?? [];
    if (name !== undefined) {
      users[name] = { level: Number(level ?? 1), password: password ?? "", sshkeys: [] };
    }
    const words = wordsOf(line);
    if (/^\s+username\s/.test(line)) keysOf = words[1];
    else if (words[0] === "key-hash" && keysOf !== undefined) keys.push([keysOf, words.slice(1).join(" ")]);
    else keysOf = undefined;
  }
  for (const [name, key] of keys) users[name]?.sshkeys.push(key);
  return users;
};
