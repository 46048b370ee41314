/** NTP: configured servers and their state. */
import { ipVersion } from "../../../common/addresses.ts";
import { integer } from "../../../common/numbers.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { InterfaceAddresses, NtpServer, NtpStats } from "../../../models.ts";
import type { Getter } from "../device.ts";
import { get_interfaces_ip } from "./interfaces.ts";

/** `ntp server [vrf V] A …`. */
function serverLine(line: string): readonly [entry: NtpServer, source: string] | undefined {
  const words = wordsOf(line);
  if (words[0] !== "ntp" || words[1] !== "server") return undefined;
  const inVrf = words[2] === "vrf";
  const address = words[inVrf ? 4 : 2];
  if (address === undefined) return undefined;
  const rest = words.slice(inVrf ? 5 : 3);
  const valueAfter = (keyword: string) =>
    rest.includes(keyword) ? rest[rest.lastIndexOf(keyword) + 1] : undefined;
  const entry: NtpServer = {
    address,
    port: 123,
    version: integer(valueAfter("version"), 4),
    association_type: "SERVER",
    iburst: rest.includes("iburst"),
    prefer: rest.includes("prefer"),
    network_instance: inVrf ? (words[3] ?? "default") : "default",
    source_address: "",
    key_id: integer(valueAfter("key"), -1),
  };
  return [entry, valueAfter("local-interface") ?? ""];
}

export const get_ntp_servers: Getter<"get_ntp_servers"> = async (device) => {
  const [text = ""] = await device.text("show running-config | section ntp");
  const servers = linesOf(text).flatMap((line) => {
    const read = serverLine(line);
    return read === undefined ? [] : [read];
  });
  // Queries addresses only if a server names a source interface.
  const isNamed = servers.some(([, source]) => source !== "");
  const addresses = isNamed ? await get_interfaces_ip(device, {}) : {};
  return Object.fromEntries(
    servers.map(([entry, source]): [string, NtpServer] => {
      const { address = "" } = entry;
      return [address, { ...entry, source_address: firstOf(addresses[source] ?? {}, ipVersion(address)) }];
    }),
  );
};

/** The interface's first address of the server's family, or else of the other family. */
function firstOf({ ipv4 = {}, ipv6 = {} }: InterfaceAddresses, version: 4 | 6 | undefined): string {
  const [first4, first6] = [Object.keys(ipv4)[0], Object.keys(ipv6)[0]];
  return (version === 6 ? (first6 ?? first4) : (first4 ?? first6)) ?? "";
}

export const get_ntp_stats: Getter<"get_ntp_stats"> = async (device) => {
  const [text = ""] = await device.text("show ntp associations");
  return linesOf(text)
    .slice(headLines)
    .flatMap((line) => statsOf(line.slice(0, 200)) ?? []);
};

/** Column titles and a rule. */
const headLines = 2;
/** NAPALM's pattern: leaves out peers whose type is not `u` or that were last heard minutes ago. */
const tally =
  /^\s?([*+x-])?([a-z\d.+,/:-]+)\s+([a-z\d.]+)\s+(\d{1,2})\s+(-|u)\s+([\dh-]+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.-]+)\s+([\d.]+)\s?$/i;

function statsOf(line: string): NtpStats | undefined {
  const [, mark, remote = "", referenceid = "", stratum, type = "", when = "", ...numbers] =
    tally.exec(line) ?? [];
  if (remote === "") return undefined;
  const [hostpoll = 0, reachability = 0, delay = 0, offset = 0, jitter = 0] = numbers.map(Number);
  return {
    remote,
    referenceid,
    synchronized: mark === "*",
    stratum: Number(stratum),
    type,
    when,
    hostpoll,
    reachability,
    delay,
    offset,
    jitter,
  };
}
