/** `get_probes_config` of IOS: its ICMP echo operations of IP SLA. */
import { firstGroup, sectionsOf } from "../../../common/text.ts";
import type { ProbeConfig } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

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
