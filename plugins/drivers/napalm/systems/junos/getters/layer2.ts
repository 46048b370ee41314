/** Layer 2 of Junos with its three switch styles, and the routing instances. */
import { type XmlElement, xml } from "patchbay/plugin";
import { integerAt, macOr } from "../../../common/elements.ts";
import type { MacTableEntry, NetworkInstance, Vlan } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { isRefusal, type JunosDevice, type SwitchStyle } from "../device.ts";
import { get_interfaces } from "./interfaces.ts";

interface MacTable {
  readonly operation: string;
  readonly entry: string;
  readonly mac: string;
  readonly interface: string;
  readonly vlan: string;
  readonly type?: string;
}

const ofSwitch: MacTable = {
  operation: "get-ethernet-switching-table-information",
  entry: "mac-table-entry",
  mac: "mac-address",
  interface: "mac-interface",
  vlan: "mac-vlan-tag",
  type: "mac-type",
};

const macTables: Readonly<Record<SwitchStyle, MacTable>> = {
  VLAN: ofSwitch,
  NONE: ofSwitch,
  VLAN_L2NG: {
    operation: "get-ethernet-switching-table-information",
    entry: "l2ng-l2ald-mac-entry-vlan",
    mac: "l2ng-l2-mac-address",
    interface: "l2ng-l2-mac-logical-interface",
    vlan: "l2ng-l2-vlan-id",
  },
  BRIDGE_DOMAIN: {
    operation: "get-bridge-mac-table",
    entry: "l2ald-mac-entry",
    mac: "l2-mac-address",
    interface: "l2-mac-logical-interface",
    vlan: "l2-bridge-vlan",
  },
};

export const get_mac_address_table: Getter<JunosDevice, "get_mac_address_table"> = async (device) => {
  const table = macTables[await device.switchStyle()];
  const entries = await entriesOf(device, table);
  return (
    entries
      // The flood entry has `*`.
      .filter((entry) => !["", "*"].includes(entry.textOf(table.mac)))
      .map((entry) => macEntryOf(entry, table))
  );
};

async function entriesOf(device: JunosDevice, table: MacTable): Promise<readonly XmlElement[]> {
  try {
    return (await device.ask(xml(table.operation, {}, xml("extensive")))).descendants(table.entry);
  } catch (error) {
    // The device does not switch.
    if (isRefusal(error, /l2-learning subsystem/)) return [];
    throw error;
  }
}

function macEntryOf(entry: XmlElement, table: MacTable): MacTableEntry {
  return {
    mac: macOr(entry.textOf(table.mac)),
    interface: entry.textOf(table.interface),
    vlan: integerAt(entry, table.vlan, 0),
    static: table.type !== undefined && entry.textOf(table.type) === "Static",
    active: true,
    moves: 0,
    last_move: 0,
  };
}

interface VlanTable {
  readonly operation: string;
  readonly entry: string;
  readonly id: string;
  readonly name: string;
  readonly interface: string;
}

const ofSwitchVlans: VlanTable = {
  operation: "get-vlan-information",
  entry: "vlan",
  id: "vlan-tag",
  name: "vlan-name",
  interface: "vlan-member-interface",
};

const vlanTables: Readonly<Record<SwitchStyle, VlanTable>> = {
  VLAN: ofSwitchVlans,
  NONE: ofSwitchVlans,
  VLAN_L2NG: {
    operation: "get-vlan-information",
    entry: "l2ng-l2ald-vlan-instance-group",
    id: "l2ng-l2rtb-vlan-tag",
    name: "l2ng-l2rtb-vlan-name",
    interface: "l2ng-l2rtb-vlan-member-interface",
  },
  BRIDGE_DOMAIN: {
    operation: "get-bridge-instance-information",
    entry: "l2ald-bridge-instance-group",
    id: "l2rtb-bridge-vlan",
    name: "l2rtb-bridging-domain",
    interface: "l2rtb-interface-name",
  },
};

export const get_vlans: Getter<JunosDevice, "get_vlans"> = async (device) => {
  const table = vlanTables[await device.switchStyle()];
  const vlans: Record<string, Vlan> = {};
  for (const entry of (await device.ask(xml(table.operation))).descendants(table.entry)) {
    const id = entry.textOf(table.id);
    if (id === "") continue;
    vlans[id] = {
      name: entry.textOf(table.name),
      interfaces: entry
        .descendants(table.interface)
        // A star marks interfaces that are up.
        .map((member) => member.textOf().replace(/\*$/, ""))
        .filter((name) => name !== ""),
    };
  }
  return vlans;
};

const instanceTypes: Readonly<Record<string, string>> = {
  default: "DEFAULT_INSTANCE",
  l2vpn: "L2VPN",
  vrf: "L3VRF",
  evpn: "BGP_EVPN",
  vpls: "BGP_VPLS",
  forwarding: "L2P2P",
};

export const get_network_instances: Getter<JunosDevice, "get_network_instances"> = async (
  device,
  { name },
) => {
  const [configured, interfaces] = await Promise.all([
    device.configured("routing-instances/instance"),
    get_interfaces(device, {}),
  ]);
  const instances: Record<string, NetworkInstance> = {};
  const assigned = new Set<string>();
  for (const instance of configured.all("routing-instances/instance")) {
    const members = [
      ...instance.all("interface/name"),
      ...instance.all("bridge-domains/domain/interface/name"),
    ].map((member) => member.textOf());
    for (const member of members) assigned.add(member);
    const type = instance.textOf("instance-type") || "default";
    instances[instance.textOf("name")] = instanceOf(
      instance.textOf("name"),
      type,
      instance.textOf("route-distinguisher/rd-type"),
      members,
    );
  }
  const rest = Object.keys(interfaces).filter((interfaceName) => !assigned.has(interfaceName));
  const allInstances = { default: instanceOf("default", "default", "", rest), ...instances };
  if (name === "") return allInstances;
  const match = Object.entries(allInstances).find(([key]) => key === name);
  return match === undefined ? {} : { [name]: match[1] };
};

function instanceOf(
  name: string,
  type: string,
  distinguisher: string,
  members: readonly string[],
): NetworkInstance {
  return {
    name,
    type: instanceTypes[type] ?? type,
    state: { route_distinguisher: distinguisher },
    interfaces: { interface: Object.fromEntries(members.map((member) => [member, {}])) },
  };
}
