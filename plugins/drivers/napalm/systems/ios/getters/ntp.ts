/** `get_ntp_servers`, `get_ntp_peers` and `get_ntp_stats` of IOS. */
import { addressOrText } from "../../../common/addresses.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { NtpStats } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

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
