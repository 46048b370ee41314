/** NTP, SNMP, users and the configuration of IOS. */
import { addressOrText } from "../../../common/addresses.ts";
import { configText, sanitizedConfigurations } from "../../../common/config-text.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { NtpStats, User } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

export const getNtpServers: Getter<IosDevice, "get_ntp_servers"> = async (device) => {
  const servers: Record<string, Record<string, never>> = {};
  for (const line of linesOf(await device.ask("show run | include ntp server"))) {
    const [ntp, server, ...words] = wordsOf(line);
    if (ntp !== "ntp" || server !== "server") continue;
    if (words[0] === "vrf") words.splice(0, 2);
    if (words[0] === "ip" || words[0] === "ipv6") words.shift();
    if (words[0] !== undefined) servers[words[0]] = {};
  }
  return servers;
};

export const getNtpPeers: Getter<IosDevice, "get_ntp_peers"> = async (device, args) =>
  Object.fromEntries((await getNtpStats(device, args)).map(({ remote }) => [addressOrText(remote), {}]));

export const getNtpStats: Getter<IosDevice, "get_ntp_stats"> = async (device) => {
  const stats: NtpStats[] = [];
  let marked: string | undefined;
  for (const line of linesOf(await device.ask("show ntp associations"))) {
    const words = wordsOf(line);
    // A long address has its own line.
    if (words.length === 1 && marked === undefined) marked = words[0];
    else {
      const columns = marked === undefined ? words : [marked, ...words];
      marked = undefined;
      const entry = statsOf(columns);
      if (entry !== undefined) stats.push(entry);
    }
  }
  return stats;
};

/** Marks, address, clock, stratum, when, poll, reach, delay, offset, dispersion. */
function statsOf(words: readonly string[]): NtpStats | undefined {
  if (words.length !== 9) return undefined;
  const [first = "", reference = "", stratum, when = "", poll, reach, delay, offset, dispersion] = words;
  const [, marks = "", address = ""] = /^([^\w:.]{0,8})([\w:.-]+)$/.exec(first) ?? [];
  const numbers = [stratum, poll, reach, delay, offset, dispersion].map((word) => Number(word));
  if (address === "" || !numbers.every((number) => Number.isFinite(number))) return undefined;
  return {
    remote: address,
    synchronized: marks.includes("*"),
    referenceid: reference,
    stratum: Number(stratum),
    type: "-",
    when,
    hostpoll: Number(poll),
    reachability: Number(reach),
    delay: Number(delay),
    offset: Number(offset),
    jitter: Number(dispersion),
  };
}

const unknown = "unknown";

export const getSnmpInformation: Getter<IosDevice, "get_snmp_information"> = async (device) => {
  const of = { chassis_id: unknown, contact: unknown, location: unknown };
  const community: Record<string, { mode: string; acl: string }> = {};
  for (const line of linesOf(await device.ask("show run | include snmp-server"))) {
    const [server, field, ...words] = wordsOf(line);
    if (server !== "snmp-server") continue;
    if (field === "community") {
      // Like NAPALM: if a view precedes the mode, its keyword and name are read as mode and access list.
      const [name = "", mode, acl] = words;
      community[name] = { mode: mode?.toLowerCase() ?? "N/A", acl: acl ?? "N/A" };
    } else if (field === "location") of.location = words.join(" ");
    else if (field === "contact") of.contact = words.join(" ");
    else if (field === "chassis-id") of.chassis_id = words.join(" ");
  }
  if (of.chassis_id === unknown) of.chassis_id = await device.ask("show snmp chassis");
  return { ...of, community };
};

const userLine = /^username\s+(\S+)(?:\s+privilege\s+(\d+))?(?:\s+(?:password|secret)\s+\d+\s+(\S+))?\s*$/;

/** SSH keys are shown as fingerprints. */
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

/** Lines added by the show command. */
const headerLines = [
  /^Building configuration.*$/,
  /^Current configuration :.*$/,
  /^! Last configuration change at.*$/,
  /^! NVRAM config last updated at.*$/,
];

export const getConfig: Getter<IosDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  const wants = (kind: string) => retrieve === kind || retrieve === "all";
  const configs = {
    running: wants("running") ? await runningConfig(device, full) : "",
    startup: wants("startup") ? configText(await device.ask("show startup-config"), headerLines) : "",
    candidate: "",
  };
  return sanitized ? sanitizedConfigurations(configs) : configs;
};

/** @param full includes defaults */
export async function runningConfig(device: IosDevice, full = false): Promise<string> {
  return configText(await device.ask(`show running-config${full ? " all" : ""}`), headerLines);
}
