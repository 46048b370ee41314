/** `traceroute` of NX-OS: three probes per hop. */
import { PluginError } from "patchbay/plugin";
import { addressOrText, ipVersion } from "../../common/addresses.ts";
import { linesOf } from "../../common/text.ts";
import type { Traceroute } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";

const probesOfHop = 3;
/** NAPALM's value for an unanswered probe. */
const unanswered = { rtt: 5000, ip_address: "*", host_name: "*" };

interface Probe {
  readonly rtt: number;
  readonly ip_address: string;
  readonly host_name: string;
}

export const traceroute: Getter<NxosDevice, "traceroute"> = async (device, { destination, source, vrf }) => {
  const version = ipVersion(destination) === 6 ? "6" : "";
  const command = [
    `traceroute${version} ${destination}`,
    ...(source === "" ? [] : [`source ${source}`]),
    ...(vrf === "" ? [] : [`vrf ${vrf}`]),
  ].join(" ");
  try {
    return { success: hopsOf(await device.text(command)) };
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return { error: `Cannot execute traceroute on the device: ${command}` };
  }
};

export function hopsOf(output: string): Extract<Traceroute, { success: unknown }>["success"] {
  const hops: Record<string, { probes: Record<string, Probe> }> = {};
  for (const line of linesOf(output)) {
    const [, hop, rest = ""] = /^\s{0,4}(\d{1,3})\s+(.*)$/.exec(line) ?? [];
    if (hop === undefined) continue;
    const probes = probesOf(rest);
    if (probes.length < probesOfHop) continue;
    hops[hop] = {
      probes: Object.fromEntries(probes.slice(0, probesOfHop).map((probe, at) => [String(at + 1), probe])),
    };
  }
  return hops;
}

/** `host (address) 1.2 ms`; text after a time belongs to the next probe; without text the host is the same. */
function probesOf(text: string): Probe[] {
  const probes: Probe[] = [];
  const words = text.split(/\s+/).filter((word) => word !== "");
  let host = "*";
  let address = "*";
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "*") {
      probes.push(unanswered);
      host = "*";
      address = "*";
    } else if (/^\d+\.\d+$/.test(word) && words[at + 1] === "ms") {
      probes.push({ rtt: Number(word), ip_address: address, host_name: host });
      at++;
    } else if (word === "(AS") at++;
    else if (word.startsWith("(")) {
      const inner = word.replace(/[()]/g, "");
      address = addressOrText(inner);
    } else if (/^[a-zA-Z0-9.:-]+$/.test(word)) {
      host = word;
      address = addressOrText(word);
    }
  }
  return probes;
}
