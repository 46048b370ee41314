/** `ping` of NX-OS. */
import { ipVersion } from "../../common/addresses.ts";
import { linesOf, wordsOf } from "../../common/text.ts";
import type { Ping } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";

interface Reply {
  readonly ip_address: string;
  readonly rtt: number;
}

export const ping: Getter<NxosDevice, "ping"> = async (device, args) => {
  const { destination, source, timeout, size, count, vrf, source_interface } = args;
  const from = source === "" ? source_interface : source;
  const version = ipVersion(destination) === 6 ? "6" : "";
  const command = [
    `ping${version} ${destination} timeout ${timeout} packet-size ${size} count ${count}`,
    ...(from === "" ? [] : [`source ${from}`]),
    ...(vrf === "" ? [] : [`vrf ${vrf}`]),
  ].join(" ");
  return pingOf(await device.text(command));
};

export function pingOf(output: string): Ping {
  if (output.includes("connect:") || !output.includes("PING")) return { error: output };
  const sent = { probes_sent: 0, packet_loss: 0, rtt_min: 0, rtt_max: 0, rtt_avg: 0, rtt_stddev: 0 };
  const results: Reply[] = [];
  for (const line of linesOf(output)) {
    const words = wordsOf(line);
    const reply = line.includes("icmp") ? replyOf(line, words) : undefined;
    if (reply !== undefined) results.push(reply);
    else if (line.includes("packets transmitted")) {
      sent.probes_sent = Number(words[0]) || 0;
      sent.packet_loss = sent.probes_sent - (Number(words[3]) || 0);
    } else if (line.includes("min/avg/max")) {
      const [min = 0, average = 0, max = 0] = (words[3] ?? "").split("/").map(Number);
      Object.assign(sent, { rtt_min: min, rtt_avg: average, rtt_max: max });
    }
  }
  return { success: { ...sent, results } };
}

/** `64 bytes from 8.8.8.8: icmp_seq=0 ttl=59 time=1.3 ms`, or a message from a router on the path. */
function replyOf(line: string, words: readonly string[]): Reply | undefined {
  if (line.includes("Unreachable")) {
    const named = words[2]?.startsWith("(") ? words[2].slice(1, -1) : words[1];
    return { ip_address: named ?? "", rtt: 0 };
  }
  if (line.includes("truncated")) {
    const named = words[4]?.startsWith("(") ? words[4].slice(1, -2) : words[3]?.slice(0, -1);
    return { ip_address: named ?? "", rtt: 0 };
  }
  if (words[1] !== "bytes") return undefined;
  const [, time] = /\btime=(\d+(?:\.\d+)?)/.exec(line) ?? [];
  return { ip_address: words[3]?.slice(0, -1) ?? "", rtt: Number(time ?? 0) };
}
