/** LLDP neighbours. */
import { capabilities } from "../../../common/capabilities.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { LldpNeighbor, LldpNeighborDetail } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { normalMac } from "./values.ts";

export const getLldpNeighbors: Getter<XrDevice, "get_lldp_neighbors"> = async (device) => {
  const lines = linesOf(await device.exec("show lldp neighbors"));
  const head = lines.findIndex((line) => line.startsWith("Device ID"));
  const neighbors: Record<string, LldpNeighbor[]> = {};
  if (head < 0) return neighbors;
  for (const line of lines.slice(head + 1)) {
    const [hostname = "", local, , , port = ""] = wordsOf(line);
    if (local === undefined || line.startsWith("Total entries")) break;
    neighbors[local] = [...(neighbors[local] ?? []), { hostname, port }];
  }
  return neighbors;
};

export const getLldpNeighborsDetail: Getter<XrDevice, "get_lldp_neighbors_detail"> = async (
  device,
  { interface: requestedInterface },
) => {
  const response = await device.ask(
    "<Get><Operational><LLDP><NodeTable></NodeTable></LLDP></Operational></Get>",
  );
  const neighbors: Record<string, LldpNeighborDetail[]> = {};
  const entries = response.descendants("Neighbors").flatMap((table) => table.all("DetailTable/Detail/Entry"));
  for (const entry of entries) {
    const local = entry.textOf("ReceivingInterfaceName");
    if (requestedInterface !== "" && requestedInterface !== local) continue;
    const neighbor = {
      parent_interface: entry.textOf("ReceivingParentInterfaceName"),
      remote_chassis_id: normalMac(entry.textOf("ChassisID")),
      remote_port: entry.textOf("PortIDDetail"),
      remote_port_description: entry.textOf("Detail/PortDescription"),
      remote_system_name: entry.textOf("Detail/SystemName"),
      remote_system_description: entry.textOf("Detail/SystemDescription"),
      remote_system_capab: capabilities(entry.textOf("Detail/SystemCapabilities")),
      remote_system_enable_capab: capabilities(entry.textOf("Detail/EnabledCapabilities")),
    };
    neighbors[local] = [...(neighbors[local] ?? []), neighbor];
  }
  return neighbors;
};
