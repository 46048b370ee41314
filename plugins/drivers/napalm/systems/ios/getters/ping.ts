/** `ping` of IOS. */
import { addressOrText } from "../../../common/addresses.ts";
import { linesOf } from "../../../common/text.ts";
import type { Ping } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

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
