/** Interfaces: state, counters, addresses, optics. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { shaped } from "../../../common/shape.ts";
import type {
  Interface,
  InterfaceAddresses,
  InterfaceCounters,
  Optics,
  OpticsState,
} from "../../../models.ts";
import type { EosDevice, Getter } from "../device.ts";

const count = v.optional(v.number(), -1);
const counters = v.object({
  outOctets: count,
  inOctets: count,
  outUcastPkts: count,
  inUcastPkts: count,
  outMulticastPkts: count,
  inMulticastPkts: count,
  outBroadcastPkts: count,
  inBroadcastPkts: count,
  outDiscards: count,
  inDiscards: count,
  totalOutErrors: count,
  totalInErrors: count,
});
const port = v.object({
  lineProtocolStatus: v.optional(v.string(), ""),
  interfaceStatus: v.optional(v.string(), ""),
  description: v.optional(v.string(), ""),
  lastStatusChangeTimestamp: v.optional(v.number(), -1),
  mtu: v.optional(v.number(), 0),
  bandwidth: v.optional(v.number(), 0),
  physicalAddress: v.optional(v.string(), ""),
  hardware: v.optional(v.string(), ""),
  interfaceCounters: v.optional(counters, {}),
});
const shownPorts = v.object({ interfaces: v.record(v.string(), port) });

async function portsOf(device: EosDevice) {
  const [response] = await device.json("show interfaces");
  return Object.entries(shaped(shownPorts, response).interfaces);
}

const bitsPerMegabit = 1_000_000;

export const get_interfaces: Getter<"get_interfaces"> = async (device) =>
  Object.fromEntries(
    (await portsOf(device)).map(([name, port]): [string, Interface] => {
      const isUp = port.lineProtocolStatus === "up";
      return [
        name,
        {
          is_up: isUp,
          is_enabled: isUp || port.interfaceStatus !== "disabled",
          description: port.description,
          last_flapped: port.lastStatusChangeTimestamp,
          mtu: port.mtu,
          speed: port.bandwidth / bitsPerMegabit,
          mac_address: macAddress(port.physicalAddress) ?? "",
        },
      ];
    }),
  );

export const get_interfaces_counters: Getter<"get_interfaces_counters"> = async (device) =>
  Object.fromEntries(
    (await portsOf(device))
      // Subinterfaces have no counters.
      .filter(([, { hardware }]) => hardware !== "subinterface")
      .map(([name, { interfaceCounters }]) => [name, countersOf(interfaceCounters)]),
  );

const countersOf = (counted: v.InferOutput<typeof counters>): InterfaceCounters => ({
  tx_octets: counted.outOctets,
  rx_octets: counted.inOctets,
  tx_unicast_packets: counted.outUcastPkts,
  rx_unicast_packets: counted.inUcastPkts,
  tx_multicast_packets: counted.outMulticastPkts,
  rx_multicast_packets: counted.inMulticastPkts,
  tx_broadcast_packets: counted.outBroadcastPkts,
  rx_broadcast_packets: counted.inBroadcastPkts,
  tx_discards: counted.outDiscards,
  rx_discards: counted.inDiscards,
  tx_errors: counted.totalOutErrors,
  rx_errors: counted.totalInErrors,
});

const address4 = v.object({ address: v.string(), maskLen: v.number() });
const interfaces4 = v.object({
  interfaces: v.record(
    v.string(),
    v.object({
      interfaceAddress: v.optional(
        v.object({
          primaryIp: v.optional(address4),
          secondaryIpsOrderedList: v.optional(v.array(address4), []),
        }),
        {},
      ),
    }),
  ),
});
const address6 = v.object({
  address: v.optional(v.string(), ""),
  subnet: v.optional(v.string(), "::/0"),
});
const interfaces6 = v.object({
  interfaces: v.record(
    v.string(),
    v.object({ linkLocal: v.optional(address6), addresses: v.optional(v.array(address6), []) }),
  ),
});
type Addresses = NonNullable<InterfaceAddresses["ipv4"]>;

/** Addresses of one family by interface, with prefix lengths. */
function byName(entries: readonly (readonly [address: string, length: number])[]): Addresses {
  return Object.fromEntries(
    entries
      .filter(([address]) => address !== "0.0.0.0" && address !== "")
      .map(([address, length]) => [addressOrText(address), { prefix_length: length }]),
  );
}

/** A switch without IPv6 refuses the command. */
async function interfaces6Of(device: EosDevice): Promise<unknown> {
  try {
    return (await device.json("show ipv6 interface"))[0];
  } catch (error) {
    if (error instanceof PluginError && /No IPv6 configured/i.test(String(error.detail?.output)))
      return { interfaces: {} };
    throw error;
  }
}

export const get_interfaces_ip: Getter<"get_interfaces_ip"> = async (device) => {
  const [[shown4], shown6] = await Promise.all([device.json("show ip interface"), interfaces6Of(device)]);
  const v4 = shaped(interfaces4, shown4).interfaces;
  const v6 = shaped(interfaces6, shown6).interfaces;
  const names = [...new Set([...Object.keys(v4), ...Object.keys(v6)])];
  return Object.fromEntries(
    names.map((name) => {
      const { primaryIp, secondaryIpsOrderedList = [] } = v4[name]?.interfaceAddress ?? {};
      const { linkLocal, addresses = [] } = v6[name] ?? {};
      const all4 = [...(primaryIp === undefined ? [] : [primaryIp]), ...secondaryIpsOrderedList];
      const all6 = [...(linkLocal === undefined ? [] : [linkLocal]), ...addresses];
      return [
        name,
        {
          ipv4: byName(all4.map(({ address, maskLen }) => [address, maskLen])),
          ipv6: byName(all6.map(({ address, subnet }) => [address, Number(subnet.split("/").at(-1))])),
        },
      ];
    }),
  );
};

const power = v.optional(v.number(), 0);
const transceivers = v.object({
  interfaces: v.record(v.string(), v.object({ rxPower: power, txPower: power, txBias: power })),
});

/** The switch reports only the current value. */
const now = (instant: number): OpticsState => ({ instant, avg: 0, min: 0, max: 0 });

export const get_optics: Getter<"get_optics"> = async (device) => {
  const [response] = await device.json("show interfaces transceiver");
  return Object.fromEntries(
    Object.entries(shaped(transceivers, response).interfaces).map(([name, light]): [string, Optics] => {
      const state = {
        input_power: now(light.rxPower),
        output_power: now(light.txPower),
        laser_bias_current: now(light.txBias),
      };
      return [name, { physical_channels: { channel: [{ index: 0, state }] } }];
    }),
  );
};
