/** `get_network_instances` of NX-OS. */
import type { NetworkInstance } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";
import { rowsOf, textOf } from "./tables.ts";

export const getNetworkInstances: Getter<NxosDevice, "get_network_instances"> = async (device, { name }) => {
  const vrfs = rowsOf(await device.json("show vrf detail"), "TABLE_vrf", "ROW_vrf");
  const interfaces = rowsOf(await device.json("show vrf interface"), "TABLE_if", "ROW_if");
  const instances: Record<string, NetworkInstance> = {};
  for (const row of vrfs) {
    const vrf = textOf(row, "vrf_name") ?? "";
    const members = interfaces.filter((member) => textOf(member, "vrf_name") === vrf);
    instances[vrf] = {
      name: vrf,
      type: vrf === "default" ? "DEFAULT_INSTANCE" : "L3VRF",
      state: { route_distinguisher: textOf(row, "rd") ?? "" },
      interfaces: {
        interface: Object.fromEntries(members.map((member) => [textOf(member, "if_name") ?? "", {}])),
      },
    };
  }
  if (name === "") return instances;
  return Object.fromEntries(Object.entries(instances).filter(([vrf]) => vrf === name));
};
