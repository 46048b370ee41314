/** LLDP neighbours. */
import * as v from "valibot";
import { macAddress } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { shaped } from "../../../common/shape.ts";
import type { LldpNeighbor, LldpNeighborDetail } from "../../../models.ts";
import type { Getter } from "../device.ts";

const text = v.nullish(v.string(), "");
const brief = v.object({
  lldpNeighbors: v.array(v.object({ port: v.string(), neighborDevice: text, neighborPort: text })),
});

export const get_lldp_neighbors: Getter<"get_lldp_neighbors"> = async (device) => {
  const [response] = await device.json("show lldp neighbors");
  const neighbors: Record<string, LldpNeighbor[]> = {};
  for (const { port, neighborDevice, neighborPort } of shaped(brief, response).lldpNeighbors)
    slot(neighbors, port, () => []).push({ hostname: neighborDevice, port: neighborPort });
  return neighbors;
};

const neighbor = v.object({
  systemName: text,
  systemDescription: text,
  chassisId: text,
  chassisIdType: text,
  systemCapabilities: v.optional(v.record(v.string(), v.boolean()), {}),
  neighborInterfaceInfo: v.optional(v.object({ interfaceId: text, interfaceDescription: text }), {}),
});
const detail = v.object({
  lldpNeighbors: v.record(v.string(), v.object({ lldpNeighborInfo: v.optional(v.array(neighbor), []) })),
});

export const get_lldp_neighbors_detail: Getter<"get_lldp_neighbors_detail"> = async (device, args) => {
  const [response] = await device.json(`show lldp neighbors ${args.interface} detail`);
  return Object.fromEntries(
    Object.entries(shaped(detail, response).lldpNeighbors)
      .filter(([, { lldpNeighborInfo }]) => lldpNeighborInfo.length > 0)
      .map(([name, { lldpNeighborInfo }]) => [name, lldpNeighborInfo.map((entry) => detailOf(name, entry))]),
  );
};

function detailOf(interfaceName: string, entry: v.InferOutput<typeof neighbor>): LldpNeighborDetail {
  const capabilities = Object.entries(entry.systemCapabilities);
  const { interfaceId, interfaceDescription } = entry.neighborInterfaceInfo;
  return {
    parent_interface: interfaceName,
    // Older releases include quotation marks in the name.
    remote_port: interfaceId.replaceAll('"', ""),
    remote_port_description: interfaceDescription,
    remote_system_name: entry.systemName,
    remote_system_description: entry.systemDescription,
    remote_chassis_id:
      entry.chassisIdType === "macAddress"
        ? (macAddress(entry.chassisId) ?? entry.chassisId)
        : entry.chassisId,
    remote_system_capab: namesOf(capabilities),
    remote_system_enable_capab: namesOf(capabilities.filter(([, enabled]) => enabled)),
  };
}

/** Capabilities that the switch spells differently. */
const capabilityNames: Readonly<Record<string, string>> = {
  docsis: "docsis-cable-device",
  stationonly: "station",
  wlanaccesspoint: "wlan-access-point",
};

function namesOf(capabilities: readonly (readonly [name: string, enabled: boolean])[]): string[] {
  return capabilities.map(([name]) => capabilityNames[name.toLowerCase()] ?? name.toLowerCase()).sort();
}
