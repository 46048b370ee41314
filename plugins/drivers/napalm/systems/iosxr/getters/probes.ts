/** IP SLA probes: configuration and results. */
import type { XmlElement } from "patchbay/plugin";
import type { ProbeConfig, ProbeResult } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { decimalAt, integerAt } from "./values.ts";

const types: Readonly<Record<string, string>> = {
  ICMPEcho: "icmp-ping",
  UDPEcho: "udp-ping",
  ICMPJitter: "icmp-ping-timestamp",
  UDPJitter: "udp-ping-timestamp",
};

export const getProbesConfig: Getter<XrDevice, "get_probes_config"> = async (device) => {
  const response = await device.ask("<Get><Configuration><IPSLA></IPSLA></Configuration></Get>");
  const probes: Record<string, Record<string, ProbeConfig>> = {};
  for (const definition of response.descendants("Definition")) {
    const operation = definition.find("OperationType/*");
    if (operation === undefined) continue;
    const name = definition.textOf("Naming/OperationID");
    probes[name] = {
      ...probes[name],
      [operation.textOf("Tag")]: {
        probe_type: types[operation.name] ?? "",
        source: operation.textOf("SourceAddress"),
        target: operation.textOf("DestAddress"),
        probe_count: integerAt(operation, "History/Buckets"),
        test_interval: integerAt(operation, "Frequency"),
      },
    };
  }
  return probes;
};

export const getProbesResults: Getter<XrDevice, "get_probes_results"> = async (device) => {
  const response = await device.ask("<Get><Operational><IPSLA></IPSLA></Operational></Get>");
  // Only the configuration contains sources and test names.
  const configured = await getProbesConfig(device, {});
  const results: Record<string, Record<string, ProbeResult>> = {};
  for (const operation of response.descendants("Operation")) {
    const name = operation.textOf("Naming/OperationID");
    const [test, config] = Object.entries(configured[name] ?? {})[0] ?? ["", undefined];
    results[name] = { ...results[name], [test]: resultOf(operation, config) };
  }
  return results;
};

function resultOf(operation: XmlElement, config: ProbeConfig | undefined): ProbeResult {
  const latest = operation.find("Statistics/Latest/Target");
  const hours =
    "Statistics/Aggregated/HourTable/Hour/Distributed/Target/DistributionIntervalTable/DistributionInterval/CommonStats";
  const last = delaysOf(latest?.find("CommonStats"));
  const global = delaysOf(operation.find(hours));
  const { rtt, loss } = lastLife(operation);
  return {
    // Empty, as in NAPALM.
    target: "",
    source: config?.source ?? "",
    probe_type: types[latest?.textOf("SpecificStats/op_type") ?? ""] ?? "",
    probe_count: config?.probe_count ?? 0,
    rtt,
    round_trip_jitter: global.updates === 0 ? 0 : rtt - Math.sqrt(global.squares / global.updates),
    last_test_loss: loss,
    // The router reports no values for a running test.
    current_test_min_delay: 0,
    current_test_max_delay: 0,
    current_test_avg_delay: 0,
    last_test_min_delay: last.min,
    last_test_max_delay: last.max,
    last_test_avg_delay: last.average,
    global_test_min_delay: global.min,
    global_test_max_delay: global.max,
    global_test_avg_delay: global.average,
  };
}

function delaysOf(stats: XmlElement | undefined) {
  const at = (field: string) => (stats === undefined ? 0 : decimalAt(stats, field));
  const updates = at("UpdateCount");
  return {
    min: at("MinResponseTime"),
    max: at("MaxResponseTime"),
    average: updates === 0 ? 0 : at("SumResponseTime") / updates,
    squares: at("Sum2ResponseTime"),
    updates,
  };
}

/** Mean time in ms and loss in percent over the probes of the last life. */
function lastLife(operation: XmlElement): { readonly rtt: number; readonly loss: number } {
  const buckets = operation
    .all("History/Target/LifeTable")
    .flatMap((table) => table.all("Life").at(-1)?.all("BucketTable/Bucket") ?? []);
  const times = buckets
    .flatMap((bucket) => bucket.all("ResponseTime"))
    .map((time) => Number(time.textOf()) || 0);
  const codes = buckets.flatMap((bucket) => bucket.all("ReturnCode")).map((code) => code.textOf());
  const good = codes.filter((code) => code === "ipslaRetCodeOK").length;
  return {
    rtt: times.length === 0 ? 0 : times.reduce((sum, time) => sum + time, 0) / times.length,
    loss: codes.length === 0 ? 0 : Math.trunc(100 * (1 - good / codes.length)),
  };
}
