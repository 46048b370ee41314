/** Counterparts of the Python modules `ttp_templates.utils.…` that built-in templates import. */
import { PyDict } from "../../python/dict.ts";
import { typeError } from "../../python/errors.ts";
import { PyFunction, PyObject, type Value } from "../../python/values.ts";
import { makeModule } from "../macro/modules/module.ts";
import { aristaBgp, junosBgp, xrBgp } from "./bgp.ts";
import { iosInterfaces, linuxInterfaces, nxosInterfaces, xrInterfaces } from "./interfaces.ts";
import { aristaInterfaces } from "./interfaces-arista.ts";
import { a10Interfaces, junosInterfaces } from "./interfaces-more.ts";
import {
  a10Inventory,
  aristaInventory,
  iosInventory,
  junosInventory,
  nxosInventory,
  xrInventory,
} from "./inventory.ts";
import { arpRecord, interfaceRecord, inventoryRecord, lldpRecord, type Model } from "./model.ts";
import { aristaLldp, junosLldp, openconfigLldp } from "./neighbours.ts";
import {
  interfaceKind,
  junosIpData,
  junosLldpPeer,
  junosNetbox,
  opengearInterface,
  opengearOutput,
} from "./netbox.ts";

type Normalize = (data: Value) => Value;

const lag = ["lag", ["port-channel"]] as const;

/** Module -> function -> what it does. */
const MODULES: Readonly<Record<string, Readonly<Record<string, Normalize>>>> = {
  a10_process_show_hardware: { transform_inventory: a10Inventory },
  a10_process_show_running_config_partition_config_all_pipe_section_interface: {
    transform_interfaces_config: a10Interfaces,
  },
  arista_eos_process_show_inventory_pipe_json: { transform_inventory: aristaInventory },
  arista_eos_process_show_bgp_neighbors_vrf_all_pipe_json: { transform_bgp_neighbors: aristaBgp },
  arista_eos_process_show_lldp_neighbors_detail_pipe_json: { transform_lldp_neighbors: aristaLldp },
  arista_eos_process_show_running_config_section_interface: { transform_interfaces_config: aristaInterfaces },
  cisco_ios_process_show_inventory: { transform_inventory: iosInventory },
  cisco_ios_process_show_running_config_pipe_section_interface: {
    transform_interfaces_config: iosInterfaces,
  },
  cisco_nxos_process_show_inventory_pipe_json_pretty: { transform_inventory: nxosInventory },
  cisco_nxos_process_show_running_config_interface: { transform_interfaces_config: nxosInterfaces },
  cisco_xr_process_show_bgp_neighbors: { transform_bgp_neighbors: xrBgp },
  cisco_xr_process_show_inventory: { transform_inventory: xrInventory },
  cisco_xr_process_show_running_config_interface: { transform_interfaces_config: xrInterfaces },
  junper_junos_process_show_bgp_neighbor_pipe_display_json: { transform_bgp_neighbors: junosBgp },
  juniper_junos_process_show_chassis_hardware_pipe_json: { transform_inventory: junosInventory },
  juniper_junos_process_show_configuration_interfaces_pipe_display_set: {
    transform_interfaces_config: junosInterfaces,
  },
  juniper_junos_process_show_lldp_neighbors_detail_pipe_display_json: { transform_lldp_neighbors: junosLldp },
  linux_process_ip_address_show: { transform_interfaces: linuxInterfaces },
  n2g_cli_ip_data_juniper_junos: { postprocess: junosIpData },
  netbox_parse_arista_eos_config: {
    add_interface_type: interfaceKind([["virtual", [".", "loopback", "tunnel", "vlan", "vxlan"]], lag]),
  },
  netbox_parse_cisco_nxos_config: {
    add_interface_type: interfaceKind([["virtual", [".", "loopback", "tunnel", "vlan", "nve"]], lag]),
  },
  netbox_parse_cisco_xr_config: {
    add_interface_type: interfaceKind([
      ["virtual", [".", "loopback", "tunnel"]],
      ["bridge", ["bvi"]],
      ["lag", ["bundle"]],
    ]),
  },
  netbox_parse_juniper_junos_config: { postprocess: junosNetbox },
  netbox_parse_opengear_config: { process_interface: opengearInterface, process_output: opengearOutput },
  yang_openconfig_lldp_cisco_ios: { process: openconfigLldp },
  yang_openconfig_lldp_cisco_nxos: { process: openconfigLldp },
  yang_openconfig_lldp_cisco_xr: { process: openconfigLldp },
};

/** `Model(**values).model_dump()`. */
class Checked extends PyObject {
  constructor(
    override readonly typeName: string,
    private readonly values: PyDict,
  ) {
    super();
  }
  override getattr(name: string): Value | undefined {
    if (name === "model_dump" || name === "dict") return new PyFunction(name, () => this.values.copy());
    return this.values.get(name);
  }
}

const modelClass = (name: string, model: Model): Value =>
  new PyFunction(name, (args, kwargs) => {
    if (args.length > 0) throw typeError(`${name}() takes fields by name`);
    return new Checked(name, model.check(PyDict.from(kwargs ?? [])));
  });

const PACKAGE = "ttp_templates.utils.";

/** `undefined`: none of these modules. */
export function normalizeModule(name: string): Value | undefined {
  if (name === "ttp_templates" || name === "ttp_templates.utils") return makeModule(name, {});
  if (!name.startsWith(PACKAGE)) return undefined;
  const short = name.slice(PACKAGE.length);
  if (short === "models")
    return makeModule(
      name,
      {},
      {
        ArpRecord: modelClass("ArpRecord", arpRecord),
        InventoryRecord: modelClass("InventoryRecord", inventoryRecord),
        InterfaceConfigRecord: modelClass("InterfaceConfigRecord", interfaceRecord),
        LldpNeighborRecord: modelClass("LldpNeighborRecord", lldpRecord),
      },
    );
  if (short === "n2g_cli_l2_data_juniper_junos")
    return makeModule(name, {
      extract_lldp_peer: ([data = null, resuball = null], _kwargs, meter) =>
        junosLldpPeer(data, resuball, meter),
    });
  const functions = Object.hasOwn(MODULES, short) ? MODULES[short] : undefined;
  if (functions === undefined) return undefined;
  return makeModule(
    name,
    Object.fromEntries(
      Object.entries(functions).map(([key, body]) => [key, ([data = null]: readonly Value[]) => body(data)]),
    ),
  );
}
