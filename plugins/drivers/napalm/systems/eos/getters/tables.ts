/** ARP, MAC address, VLAN and VRF tables. */
import * as v from "valibot";
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { shaped } from "../../../common/shape.ts";
import type { NetworkInstance, Vlan } from "../../../models.ts";
import type { EosDevice, Getter } from "../device.ts";
import { get_interfaces_ip } from "./interfaces.ts";

const arp = v.object({
  vrfs: v.record(
    v.string(),
    v.object({
      ipV4Neighbors: v.optional(
        v.array(
          v.object({
            hwAddress: v.string(),
            address: v.string(),
            interface: v.string(),
            age: v.optional(v.number(), -1),
          }),
        ),
        [],
      ),
    }),
  ),
});

export const get_arp_table: Getter<"get_arp_table"> = async (device, { vrf }) => {
  const [response] = await device.json("show arp vrf all");
  return Object.entries(shaped(arp, response).vrfs)
    .filter(([name]) => vrf === "" || name === vrf)
    .flatMap(([, { ipV4Neighbors }]) => ipV4Neighbors)
    .map((neighbor) => ({
      interface: neighbor.interface,
      mac: macAddress(neighbor.hwAddress) ?? neighbor.hwAddress,
      ip: addressOrText(neighbor.address),
      age: neighbor.age,
    }));
};

const macs = v.object({
  unicastTable: v.optional(
    v.object({
      tableEntries: v.optional(
        v.array(
          v.object({
            macAddress: v.string(),
            interface: v.optional(v.string(), ""),
            vlanId: v.number(),
            entryType: v.optional(v.string(), ""),
            moves: v.optional(v.number(), 0),
            lastMove: v.optional(v.number(), 0),
          }),
        ),
        [],
      ),
    }),
    {},
  ),
});

export const get_mac_address_table: Getter<"get_mac_address_table"> = async (device) => {
  const [response] = await device.json("show mac address-table");
  return shaped(macs, response).unicastTable.tableEntries.map((entry) => ({
    mac: macAddress(entry.macAddress) ?? entry.macAddress,
    interface: entry.interface,
    vlan: entry.vlanId,
    static: entry.entryType === "static",
    active: true,
    moves: entry.moves,
    last_move: entry.lastMove,
  }));
};

const vlans = v.object({
  vlans: v.record(
    v.string(),
    v.object({
      name: v.optional(v.string(), ""),
      interfaces: v.optional(v.record(v.string(), v.unknown()), {}),
    }),
  ),
});

export const get_vlans: Getter<"get_vlans"> = async (device) => {
  const [response] = await device.json("show vlan");
  return Object.fromEntries(
    Object.entries(shaped(vlans, response).vlans).map(([id, { name, interfaces }]): [string, Vlan] => [
      id,
      { name, interfaces: Object.keys(interfaces) },
    ]),
  );
};

const vrfs = v.object({
  vrfs: v.record(
    v.string(),
    v.object({
      routeDistinguisher: v.optional(v.string(), ""),
      interfaces: v.optional(v.array(v.string()), []),
    }),
  ),
});

export async function vrfsOf(device: EosDevice) {
  const [response] = await device.json("show vrf");
  return shaped(vrfs, response).vrfs;
}

const noDistinguisher: ReadonlySet<string> = new Set(["<not set>", "None"]);

function instanceOf(
  name: string,
  distinguisher: string,
  ports: readonly string[],
): [string, NetworkInstance] {
  return [
    name,
    {
      name,
      type: name === "default" ? "DEFAULT_INSTANCE" : "L3VRF",
      state: { route_distinguisher: noDistinguisher.has(distinguisher) ? "" : distinguisher },
      interfaces: { interface: Object.fromEntries(ports.map((port) => [port, {}])) },
    },
  ];
}

export const get_network_instances: Getter<"get_network_instances"> = async (
  device,
  { name: requestedName },
) => {
  const instances = Object.entries(await vrfsOf(device)).map(([name, vrf]) => {
    // Some releases join several names in one string.
    const ports = vrf.interfaces.flatMap((names) => names.split(",")).map((port) => port.trim());
    return instanceOf(
      name,
      vrf.routeDistinguisher,
      ports.filter((port) => port !== ""),
    );
  });
  if (!instances.some(([name]) => name === "default")) {
    const assigned = new Set(instances.flatMap(([, instance]) => Object.keys(instance.interfaces.interface)));
    const rest = Object.keys(await get_interfaces_ip(device, {})).filter((port) => !assigned.has(port));
    instances.push(instanceOf("default", "", rest));
  }
  return Object.fromEntries(
    requestedName === "" ? instances : instances.filter(([name]) => name === requestedName),
  );
};
