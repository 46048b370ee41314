/** traceroute of iosxr. */
import type { XmlElement } from "patchbay/plugin";
import { escapeXml } from "patchbay/plugin";
import { ipVersion } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type { ArgumentsOf } from "../../../methods.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";

interface Probe {
  readonly rtt: number;
  readonly ip_address: string;
  readonly host_name: string;
}

export const traceroute: Getter<XrDevice, "traceroute"> = async (device, args) => {
  const version = ipVersion(args.destination);
  if (version === undefined)
    return { error: `"${args.destination}" is not an address: iosxr does not accept host names.` };
  const response = await device.ask(questionOf(args, version));
  const results = response.descendants("Results")[0];
  if (results === undefined) return { error: "The router returned no results." };
  const error = results.textOf("Error");
  return error === "" ? { success: hopsOf(results, args.timeout * 1000) } : { error };
};

function questionOf(
  { destination, source, ttl, timeout, vrf }: ArgumentsOf<"traceroute">,
  version: 4 | 6,
): string {
  const optionalElement = (tag: string, value: string | number) =>
    value === "" || value === 0 ? "" : `<${tag}>${escapeXml(String(value))}</${tag}>`;
  const inside = [
    optionalElement("Destination", destination),
    optionalElement("VRFName", vrf),
    optionalElement("Source", source),
    optionalElement("MaxTTL", ttl),
    optionalElement("Timeout", timeout),
  ];
  return `<Set><Action><TraceRoute><IPV${version}>${inside.join("")}</IPV${version}></TraceRoute></Action></Set>`;
}

/** The reply is a flat list of hops, names and probes; each value applies to those that follow it. */
function hopsOf(results: XmlElement, silentMs: number): Record<string, { probes: Record<string, Probe> }> {
  const hops: Record<string, { probes: Record<string, Probe> }> = {};
  let hop = 1;
  let probe = 1;
  let address = "*";
  let name = "";
  const probes = () => slot(hops, String(hop), () => ({ probes: {} as Record<string, Probe> })).probes;
  for (const element of results.children) {
    const value = element.textOf();
    if (element.name === "HopIndex") {
      const next = integer(value, hop);
      if (next !== hop) {
        // Like NAPALM: a hop without any probe is listed too.
        probes();
        [address, name] = ["*", ""];
      }
      hop = next;
    } else if (element.name === "HopAddress") address = value;
    else if (element.name === "HopHostName") name = value;
    else if (element.name === "ProbeIndex") {
      probe = integer(value, 0) + 1;
      name ||= address;
      probes()[probe] = { rtt: silentMs, ip_address: address, host_name: name };
    } else if (element.name === "DeltaTime") {
      const existing = probes()[probe] ?? { ip_address: address, host_name: name || address };
      probes()[probe] = { ...existing, rtt: decimal(value, 0) };
    }
  }
  probes();
  return hops;
}
