/** IP SLA probes of IOS XR: configuration and results. */
import type { XmlElement } from "patchbay/plugin";
import { decimalAt, integerAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { decimal } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type { ProbeConfig, ProbeResult } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { getConfigOperation, getOperation, model, nested } from "../operations.ts";

const probeTypes: Readonly<Record<string, string>> = {
  "icmp-echo": "icmp-ping",
  "udp-echo": "udp-ping",
  "icmp-jitter": "icmp-ping-timestamp",
  "udp-jitter": "udp-ping-timestamp",
};

const configOperation = getConfigOperation(
  "running",
  nested(model("man-ipsla-cfg"), "ipsla/operation/definitions"),
);
const resultsOperation = getOperation(nested(model("man-ipsla-oper"), "ipsla/operation-data/operations"));

export const get_probes_config: Getter<NetconfDevice, "get_probes_config"> = async (device) => {
  const reply = await device.ask(configOperation);
  const probes: Record<string, Record<string, ProbeConfig>> = {};
  for (const definition of reply.all("data/ipsla/operation/definitions/definition")) {
    const [operation] = definition.all("operation-type/*");
    if (operation === undefined) continue;
    const tests = slot(probes, definition.textOf("operation-id"), () => ({}));
    tests[operation.textOf("tag")] = {
      probe_type: probeTypes[operation.name] ?? "",
      source: operation.textOf("source-address"),
      target: operation.textOf("dest-address"),
      test_interval: integerAt(operation, "frequency", 0),
      probe_count: integerAt(operation, "history/buckets", 0),
    };
  }
  return probes;
};

export const get_probes_results: Getter<NetconfDevice, "get_probes_results"> = async (device) => {
  const [reply, configured] = await Promise.all([
    device.ask(resultsOperation),
    get_probes_config(device, {}),
  ]);
  return Object.fromEntries(
    reply.all("data/ipsla/operation-data/operations/operation").map((operation) => {
      const probe = operation.textOf("operation-id");
      // The results contain neither the name nor the source of a probe.
      const [name = "", config] = Object.entries(configured[probe] ?? {})[0] ?? [];
      return [probe, { [name]: resultOf(operation, config) }];
    }),
  );
};

function resultOf(operation: XmlElement, config: ProbeConfig | undefined): ProbeResult {
  const latest = operation.find("statistics/latest/target/common-stats");
  const intervalPath =
    "statistics/aggregated/hours/hour/distributed/target/distribution-intervals/distribution-interval";
  const common = operation.find(`${intervalPath}/common-stats`);
  const last = (leaf: string) => (latest === undefined ? 0 : decimalAt(latest, leaf, 0));
  const commonValue = (leaf: string) => (common === undefined ? 0 : decimalAt(common, leaf, 0));
  const buckets = operation.all("history/target/lifes/life").at(-1)?.all("buckets/bucket") ?? [];
  const bucketValues = (leaf: string) => buckets.flatMap((bucket) => bucket.find(leaf)?.textOf() ?? []);
  const rtt = mean(bucketValues("response-time").map((time) => decimal(time, 0)));
  const codes = bucketValues("return-code");
  const good = codes.filter((code) => code === "ipsla-ret-code-ok").length;
  const updates = commonValue("update-count");
  return {
    target: "",
    source: config?.source ?? "",
    probe_type: probeTypes[operation.textOf("statistics/latest/target/specific-stats/op-type")] ?? "",
    probe_count: config?.probe_count ?? 0,
    rtt,
    round_trip_jitter: updates === 0 ? 0 : rtt - (commonValue("sum2-response-time") / updates) ** 0.5,
    last_test_loss: codes.length === 0 ? 0 : Math.trunc(100 * (1 - good / codes.length)),
    current_test_min_delay: 0,
    current_test_max_delay: 0,
    current_test_avg_delay: 0,
    last_test_min_delay: last("min-response-time"),
    last_test_max_delay: last("max-response-time"),
    last_test_avg_delay: ratio(last("sum-response-time"), last("update-count")),
    global_test_min_delay: commonValue("min-response-time"),
    global_test_max_delay: commonValue("max-response-time"),
    global_test_avg_delay: ratio(commonValue("sum-response-time"), updates),
  };
}

const ratio = (sum: number, count: number) => (count === 0 ? 0 : sum / count);

function mean(numbers: readonly number[]): number {
  return ratio(
    numbers.reduce((sum, value) => sum + value, 0),
    numbers.length,
  );
}
