/** ping and traceroute of Junos, with structured output. */
import { PluginError, type XmlElement, xml } from "patchbay/plugin";
import { ipAddress } from "../../../common/addresses.ts";
import { decimalAt, has, integerAt } from "../../../common/elements.ts";
import { rounded } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";

export const ping: Getter<JunosDevice, "ping"> = async (device, args) => {
  const command = [
    `ping ${requireWord("ping", "destination", args.destination)}`,
    option("source", requireWord("ping", "source", args.source)),
    option("ttl", args.ttl),
    option("wait", args.timeout),
    option("size", args.size),
    option("count", args.count),
    option("routing-instance", requireWord("ping", "vrf", args.vrf)),
    option("interface", requireWord("ping", "source_interface", args.source_interface)),
  ].join("");
  const { root, errors } = await device.run(
    xml("command", {}, command),
    timeFor(args.count * Math.max(args.timeout, 1)),
  );
  const [summary] = root.descendants("probe-results-summary");
  if (summary === undefined) return { error: errors[0]?.message || root.textOf("output") || "no answer" };
  const loss = integerAt(summary, "packet-loss", 100);
  if (loss === 100) return { error: `Packet loss ${loss}` };
  return {
    success: {
      probes_sent: integerAt(summary, "probes-sent", 0),
      packet_loss: loss,
      rtt_min: milliseconds(summary, "rtt-minimum"),
      rtt_max: milliseconds(summary, "rtt-maximum"),
      rtt_avg: milliseconds(summary, "rtt-average"),
      rtt_stddev: milliseconds(summary, "rtt-stddev"),
      results: root.descendants("probe-result").map((probe) => ({
        ip_address: ipAddress(probe.textOf("ip-address")) ?? "*",
        rtt: milliseconds(probe, "rtt"),
      })),
    },
  };
};

/** The device reports microseconds; -0.001 stands for a missing value. */
function milliseconds(element: XmlElement, path: string): number {
  return rounded(decimalAt(element, path, -1) * 1e-3, 3);
}

export const traceroute: Getter<JunosDevice, "traceroute"> = async (device, args) => {
  const command = [
    `traceroute ${requireWord("traceroute", "destination", args.destination)}`,
    option("source", requireWord("traceroute", "source", args.source)),
    option("ttl", args.ttl),
    option("wait", args.timeout),
    option("routing-instance", requireWord("traceroute", "vrf", args.vrf)),
  ].join("");
  const { root, errors } = await device.run(
    xml("command", {}, command),
    timeFor(args.ttl * probesPerHop * Math.max(args.timeout, 1)),
  );
  const [results] = root.descendants("traceroute-results");
  const failure = results?.textOf("traceroute-failure") ?? "";
  const reason = errors[0]?.message ?? "";
  if (results === undefined) return { error: reason || root.textOf("output") || "no answer" };
  if (failure !== "" && reason !== "") return { error: `${failure}: ${reason}` };
  const hops: Record<string, { probes: Record<string, Probe> }> = {};
  for (const hop of results.all("hop")) {
    const { probes } = slot(hops, String(integerAt(hop, "ttl-value", 1)), () => ({ probes: {} }));
    for (const probe of hop.all("probe-result"))
      probes[String(integerAt(probe, "probe-index", 0))] = probeOf(probe);
  }
  return { success: hops };
};

interface Probe {
  readonly rtt: number;
  readonly ip_address: string;
  readonly host_name: string;
}

function probeOf(probe: XmlElement): Probe {
  return {
    ip_address: ipAddress(probe.textOf("ip-address")) ?? "*",
    host_name: has(probe, "host-name") ? probe.textOf("host-name") || "*" : "",
    rtt: decimalAt(probe, "rtt", 0) * 1e-3,
  };
}

const probesPerHop = 3;

/** Time for the waits plus that of the command itself. */
function timeFor(seconds: number): number {
  return (seconds + 60) * 1000;
}

const option = (name: string, value: string | number) =>
  value === "" || value === 0 ? "" : ` ${name} ${value}`;

/** Validates that an argument is a single word without a pipe. */
function requireWord(method: string, field: string, text: string): string {
  if (/^[^\s|;"'<>]*$/.test(text)) return text;
  throw new PluginError("DriverError", `${method}: ${field} must be one word.`, { outcome: "none" });
}
