/** `get_interfaces_counters` of IOS. */
import { canonicalInterface } from "../../../common/interface-names.ts";
import { firstGroup, linesOf, sectionsOf, wordsOf } from "../../../common/text.ts";
import type { InterfaceCounters } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

type Counters = { -readonly [Name in keyof InterfaceCounters]: number };

/** Captures only the last digit, which is the value NAPALM returns. */
const multicasts = /Received \d+ broadcasts.{0,200}(\d).{0,200}multicasts/;
/** Counters that IOS does not report. */
const untold = -1;

export const getInterfacesCounters: Getter<IosDevice, "get_interfaces_counters"> = async (device) => {
  const output = await device.ask("show interfaces");
  const summary = await device.ask("show interface summary");
  const counters: Record<string, Counters> = {};
  for (const { head, lines } of sectionsOf(output, (line) => / line protocol is /.test(line))) {
    const name = firstGroup(/^(.+?) is .* line protocol is /, head)?.trim();
    if (name !== undefined) counters[name] = countersOf(lines);
  }
  for (const { name, input, output } of dropsOf(summary)) {
    const of = counters[canonicalInterface(name)] ?? counters[name];
    if (of !== undefined) Object.assign(of, { rx_discards: input, tx_discards: output });
  }
  return counters;
};

function countersOf(lines: readonly string[]): Counters {
  const of: Counters = {
    tx_errors: untold,
    rx_errors: untold,
    tx_discards: untold,
    rx_discards: untold,
    tx_octets: untold,
    rx_octets: untold,
    tx_unicast_packets: untold,
    rx_unicast_packets: untold,
    tx_multicast_packets: untold,
    rx_multicast_packets: untold,
    tx_broadcast_packets: untold,
    rx_broadcast_packets: untold,
  };
  const count = (pattern: RegExp, line: string) => Number(firstGroup(pattern, line) ?? untold);
  for (const line of lines) {
    if (line.includes("packets input")) {
      of.rx_unicast_packets = count(/(\d+) packets input/, line);
      of.rx_octets = count(/ (\d+) bytes/, line);
    } else if (line.includes("packets output")) {
      of.tx_unicast_packets = count(/(\d+) packets output/, line);
      of.tx_octets = count(/ (\d+) bytes/, line);
    } else if (line.includes("broadcast")) {
      of.rx_broadcast_packets = count(/Received (\d+) broadcasts/, line);
      of.rx_multicast_packets = count(multicasts, line);
    } else if (line.includes("input errors")) of.rx_errors = count(/(\d+) input errors/, line);
    else if (line.includes("output errors")) of.tx_errors = count(/(\d+) output errors/, line);
  }
  return of;
}

/** IHQ, IQD, OHQ, OQD and five rates after the interface name. */
function dropsOf(summary: string) {
  return linesOf(summary).flatMap((line) => {
    const words = wordsOf(line.replace(/^\s*\*/, ""));
    const numbers = words.slice(-9);
    const name = words.slice(0, -9).join(" ");
    if (name === "" || !numbers.every((word) => /^\d+$/.test(word))) return [];
    return [{ name, input: Number(numbers[1]), output: Number(numbers[3]) }];
  });
}
