/** ping and traceroute. */
import { PluginError } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { linesOf } from "../../../common/text.ts";
import type { Ping, Traceroute } from "../../../models.ts";
import type { Getter } from "../device.ts";

export const ping: Getter<"ping"> = async (device, args) => {
  const command = [
    "ping",
    ...(args.vrf === "" ? [] : ["vrf", args.vrf]),
    args.destination,
    `timeout ${args.timeout} size ${args.size} repeat ${args.count}`,
    ...(args.source === "" ? [] : ["source", args.source]),
    ...(args.source_interface === "" ? [] : ["interface", args.source_interface]),
  ].join(" ");
  try {
    const [output = ""] = await device.text(command);
    return pingOf(output);
  } catch (error) {
    return failureOf(error);
  }
};

/** A failed ping or traceroute is a result of its own: `{error}`. */
function failureOf(error: unknown): { error: string } {
  if (error instanceof PluginError && error.kind === "CommandError") return { error: error.message };
  throw error;
}

const reply = /\bfrom (?:\S+ \(([^()\s]+)\)|([^()\s]+?)):? icmp_(?:seq|req)=\d+ (?:.*?\btime=([\d.]+) ms)?/i;

function pingOf(output: string): Ping {
  if (/\bconnect:|unknown host|Name or service not known/i.test(output) || !/^PING /m.test(output))
    return { error: output };
  const results = linesOf(output).flatMap((line) => {
    const [matched, named, plain, rtt = 0] = reply.exec(line) ?? [];
    const address = named ?? plain ?? "";
    // Of the messages from routers, only "Unreachable" counts.
    if (/^From /.test(line) && !line.includes("Unreachable")) return [];
    return matched === undefined ? [] : [{ ip_address: addressOrText(address), rtt: Number(rtt) }];
  });
  const [, sent = 0, received = 0] = /(\d+) packets transmitted, (\d+) received/.exec(output) ?? [];
  const [, ...times] = /min\/avg\/max\/mdev = ([\d.]+)\/([\d.]+)\/([\d.]+)\/([\d.]+)/.exec(output) ?? [];
  const [rtt_min = 0, rtt_avg = 0, rtt_max = 0, rtt_stddev = 0] = times.map(Number);
  const probes_sent = Number(sent);
  return {
    success: {
      probes_sent,
      packet_loss: probes_sent - Number(received),
      rtt_min,
      rtt_avg,
      rtt_max,
      rtt_stddev,
      results,
    },
  };
}

/** The EOS command supports neither limits nor a source; the underlying shell tool does. */
export const traceroute: Getter<"traceroute"> = async (
  device,
  { destination, source, ttl, timeout, vrf },
) => {
  const inVrf = vrf === "" ? "" : `sudo ip netns exec ns-${vrf} `;
  const from = source === "" ? "" : `-s ${source}`;
  const command = `bash timeout ${ttl * timeout} ${inVrf}traceroute ${destination} ${from} -m ${ttl} -w ${timeout}`;
  try {
    const [output = ""] = await device.text(command);
    return tracerouteOf(output, timeout);
  } catch (error) {
    return failureOf(error);
  }
};

/**
 * Like NAPALM: a hop line must have exactly three probes. Lines with more, such as `!H` or a name with `_`, are left
 * out.
 */
const hopLine = /^\s*(\d+)((?:\s+(?:\*|(?:[a-zA-Z0-9.:-]+ \([^()\s]+\)\s+)?[\d.]+ ms)){3})/;
const probe = /\*|(\S+) \(([^()\s]+)\)\s+([\d.]+) ms|([\d.]+) ms/g;
type Hops = Extract<Traceroute, { success: unknown }>["success"];

function tracerouteOf(output: string, timeoutS: number): Traceroute {
  const hops: Record<string, Hops[string]> = {};
  for (const line of linesOf(output)) {
    const [, hop, rest = ""] = hopLine.exec(line.slice(0, 1000)) ?? [];
    if (hop === undefined) continue;
    let [host_name, ip_address] = ["*", "*"];
    const probes = [...rest.matchAll(probe)].map(([matched, name, address, rttBehindName, rttAlone]) => {
      if (matched === "*") return { rtt: timeoutS * 1000, ip_address: "*", host_name: "*" };
      // A time without an address belongs to the previous router.
      if (name !== undefined && address !== undefined)
        [host_name, ip_address] = [name, addressOrText(address)];
      return { rtt: Number(rttBehindName ?? rttAlone), ip_address, host_name };
    });
    if (probes.length > 0)
      hops[hop] = { probes: Object.fromEntries(probes.map((result, at) => [String(at + 1), result])) };
  }
  return { success: hops };
}
