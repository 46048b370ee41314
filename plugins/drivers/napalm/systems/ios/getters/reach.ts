/** Probes of IOS: `traceroute`, `ping`, and those that are configured. */
import { addressOrText } from "../../../common/addresses.ts";
import { firstGroup, linesOf, sectionsOf, wordsOf } from "../../../common/text.ts";
import type { Ping, ProbeConfig } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

interface Probe {
  rtt: number;
  ip_address: string;
  host_name: string;
}

const leastProbes = 3;
/** More than any device sends per hop. */
const maxProbes = 100;

export const traceroute: Getter<IosDevice, "traceroute"> = async (device, args) => {
  const { destination, source, ttl, timeout, vrf } = args;
  const command = [
    `traceroute ${vrf === "" ? "" : `vrf ${vrf} `}${destination}`,
    ...(source === "" ? [] : [`source ${source}`]),
    ...(ttl === 0 ? [] : [`ttl 0 ${ttl}`]),
    ...(timeout === 0 ? [] : [`timeout ${timeout}`]),
  ].join(" ");
  const output = await device.ask(command);
  if (/Unrecognized host or address/.test(output)) return { error: `unknown host ${destination}` };
  if (/^\s*% ?Invalid/m.test(output)) return { error: output };
  return { success: hopsOf(output) };
};

function hopsOf(output: string) {
  const hops: Record<string, { probes: Record<string, Probe> }> = {};
  let words: string[] | undefined;
  let hop = "";
  const finish = () => {
    if (words !== undefined) hops[hop] = { probes: probesOf(words) };
  };
  for (const line of linesOf(output)) {
    const [, number, rest = ""] = /^\s+(\d{1,3})(?=\s)(.*)$/.exec(line) ?? [];
    if (number !== undefined) {
      finish();
      hop = number;
      words = wordsOf(withoutNotes(rest));
    } else words?.push(...wordsOf(withoutNotes(line)));
  }
  finish();
  return hops;
}

/** `[AS 3356]`, `[MPLS: Label 24 Exp 0]` */
const withoutNotes = (text: string) => text.replace(/\[[^\]]{0,200}\]/g, " ");

/** A time belongs to the preceding address; a star is an unanswered probe. */
function probesOf(words: readonly string[]): Record<string, Probe> {
  const probes: Probe[] = [];
  const of = { ip_address: "", host_name: "" };
  for (const [at, word] of words.entries()) {
    if (probes.length >= maxProbes) break;
    if (word === "*") probes.push({ rtt: 0, ip_address: "", host_name: "" });
    else if (word === "msec" || word.startsWith("!")) continue;
    else if (/^\d+$/.test(word) && words[at + 1] === "msec") probes.push({ rtt: Number(word), ...of });
    else if (word.startsWith("(")) {
      const inner = word.replace(/[()]/g, "");
      of.ip_address = addressOrText(inner);
    } else {
      of.host_name = word;
      of.ip_address = addressOrText(word);
    }
  }
  while (probes.length < leastProbes) probes.push({ rtt: 0, ip_address: "", host_name: "" });
  return Object.fromEntries(probes.map((probe, at) => [String(at + 1), probe]));
}

export const ping: Getter<IosDevice, "ping"> = async (device, args) => {
  const { destination, source, source_interface, timeout, size, count, vrf } = args;
  const from = source === "" ? source_interface : source;
  const command = [
    `ping ${vrf === "" ? "" : `vrf ${vrf} `}${destination} timeout ${timeout} size ${size} repeat ${count}`,
    ...(from === "" ? [] : [`source ${from}`]),
  ].join(" ");
  return pingOf(await device.ask(command), addressOrText(destination));
};

/** `Success rate is 80 percent (4/5), round-trip min/avg/max = 1/2/4 ms` */
function pingOf(output: string, address: string): Ping {
  if (output.includes("%") || !output.includes("Sending")) return { error: output };
  const rate = linesOf(output).find((line) => line.includes("Success rate is")) ?? "";
  const [, received = "0", sent = "0"] = /\((\d+)\/(\d+)\)/.exec(rate) ?? [];
  const [, min = "0", average = "0", max = "0"] = /(\d+)\/(\d+)\/(\d+)/.exec(rate) ?? [];
  return {
    success: {
      probes_sent: Number(sent),
      packet_loss: Number(sent) - Number(received),
      rtt_min: Number(min),
      rtt_avg: Number(average),
      rtt_max: Number(max),
      rtt_stddev: 0,
      // IOS does not report the times of single probes.
      results: Array.from({ length: Number(received) }, () => ({ ip_address: address, rtt: 0 })),
    },
  };
}

/** ICMP echo operations of IP SLA. */
export const getProbesConfig: Getter<IosDevice, "get_probes_config"> = async (device) => {
  const output = await device.ask("show run | section ip sla [0-9]");
  const probes: Record<string, Record<string, ProbeConfig>> = {};
  for (const { head, lines } of sectionsOf(output, (line) => /^ip sla \S/.test(line))) {
    const id = firstGroup(/^ip sla (\d+)\s*$/, head);
    const [operation = "", name = ""] = lines;
    const [, target, source] =
      /^\s+icmp-echo\s+(\S+)(?:\s+source-(?:ip|interface)\s+(\S+))?/.exec(operation) ?? [];
    const tag = firstGroup(/^\s+tag\s+(\S.*)$/, name)?.trim();
    const text = lines.join("\n");
    const buckets = firstGroup(/^\s+history\s+buckets-kept\s+(\d+)/m, text);
    const frequency = firstGroup(/^\s+frequency\s+(\d+)/m, text);
    if (id === undefined || target === undefined || tag === undefined) continue;
    // Like NAPALM: leaves out probes with a default value, which the configuration does not show.
    if (buckets === undefined || frequency === undefined) continue;
    probes[id] = {
      [tag]: {
        probe_type: "icmp-ping",
        target,
        source: source ?? "",
        probe_count: Number(buckets),
        test_interval: Number(frequency),
      },
    };
  }
  return probes;
};
