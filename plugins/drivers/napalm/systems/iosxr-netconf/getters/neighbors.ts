/** LLDP and ARP neighbours of an IOS XR router, and the MAC addresses learned by its bridges. */
import type { XmlElement } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { capabilities } from "../../../common/capabilities.ts";
import { decimalAt, grouped, macOr, textAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { integer } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import { getOperation, model, nested } from "../operations.ts";

const lldpOperation = getOperation(
  nested(model("ethernet-lldp-oper"), "lldp/nodes/node/neighbors/details/detail/lldp-neighbor"),
);

async function lldpNeighbors(device: NetconfDevice): Promise<readonly XmlElement[]> {
  return (await device.ask(lldpOperation)).all("data/lldp/nodes/node/neighbors/details/detail/lldp-neighbor");
}

export const get_lldp_neighbors: Getter<NetconfDevice, "get_lldp_neighbors"> = async (device) =>
  grouped(
    (await lldpNeighbors(device)).map((neighbor) => [
      neighbor.textOf("receiving-interface-name"),
      { hostname: neighbor.textOf("detail/system-name"), port: neighbor.textOf("port-id-detail") },
    ]),
  );

export const get_lldp_neighbors_detail: Getter<NetconfDevice, "get_lldp_neighbors_detail"> = async (
  device,
  { interface: only },
) =>
  grouped(
    (await lldpNeighbors(device))
      .filter((neighbor) => only === "" || neighbor.textOf("receiving-interface-name") === only)
      .map((neighbor) => [
        neighbor.textOf("receiving-interface-name"),
        {
          parent_interface: textAt(neighbor, "receiving-parent-interface-name") ?? "None",
          remote_chassis_id: macOr(neighbor.textOf("chassis-id")),
          remote_port: neighbor.textOf("port-id-detail"),
          remote_port_description: neighbor.textOf("detail/port-description"),
          remote_system_name: neighbor.textOf("detail/system-name"),
          remote_system_description: neighbor.textOf("detail/system-description"),
          remote_system_capab: capabilities(neighbor.textOf("detail/system-capabilities")),
          remote_system_enable_capab: capabilities(neighbor.textOf("detail/enabled-capabilities")),
        },
      ]),
  );

const arpOperation = getOperation(nested(model("ipv4-arp-oper"), "arp/nodes/node/entries/entry"));

export const get_arp_table: Getter<NetconfDevice, "get_arp_table"> = async (device, { vrf }) => {
  if (vrf !== "")
    throw new PluginError("DriverError", "get_arp_table: iosxr_netconf cannot filter by VRF (vrf).", {
      outcome: "none",
    });
  return (await device.ask(arpOperation)).all("data/arp/nodes/node/entries/entry").map((entry) => ({
    interface: entry.textOf("interface-name"),
    mac: macOr(entry.textOf("hardware-address")),
    ip: addressOrText(entry.textOf("address")),
    age: decimalAt(entry, "age", 0),
  }));
};

const macTableOperation = getOperation(
  nested(model("l2vpn-oper"), "l2vpn-forwarding/nodes/node/l2fibmac-details"),
);

export const get_mac_address_table: Getter<NetconfDevice, "get_mac_address_table"> = async (device) =>
  (await device.ask(macTableOperation))
    .all("data/l2vpn-forwarding/nodes/node/l2fibmac-details/l2fibmac-detail")
    .map((entry) => ({
      mac: macOr(entry.textOf("address")),
      interface: entry.textOf("segment/ac/interface-handle"),
      vlan: integer(entry.textOf("name").replaceAll("vlan", ""), 0),
      active: true,
      static: false,
      moves: 0,
      last_move: 0,
    }));
