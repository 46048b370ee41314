/** `get_lldp_neighbors` and its detail on NX-OS. */

import { capabilities } from "../../common/capabilities.ts";
import { canonicalInterface } from "../../common/interface-names.ts";
import { slot } from "../../common/records.ts";
import { linesOf } from "../../common/text.ts";
import type { LldpNeighborDetail } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";

const fields = {
  "Chassis id": "chassis",
  "Port id": "port",
  "Local Port id": "local",
  "Port Description": "portDescription",
  "System Name": "name",
  "System Description": "description",
  "System Capabilities": "capabilities",
  "Enabled Capabilities": "enabled",
} as const;

type Field = (typeof fields)[keyof typeof fields];

interface Entry {
  readonly local: string;
  readonly neighbor: LldpNeighborDetail;
}

export const getLldpNeighborsDetail: Getter<NxosDevice, "get_lldp_neighbors_detail"> = async (
  device,
  { interface: name },
) => {
  const interfaceArgument = name === "" ? "" : ` interface ${name}`;
  return byInterface(entriesOf(await device.text(`show lldp neighbors${interfaceArgument} detail`)));
};

export const getLldpNeighbors: Getter<NxosDevice, "get_lldp_neighbors"> = async (device) => {
  const detail = await getLldpNeighborsDetail(device, { interface: "" });
  return Object.fromEntries(
    Object.entries(detail).map(([local, neighbors]) => [
      local,
      neighbors.map(({ remote_system_name, remote_chassis_id, remote_port }) => ({
        hostname: remote_system_name === "N/A" ? remote_chassis_id : remote_system_name,
        port: remote_port,
      })),
    ]),
  );
};

/** An entry ends at its enabled capabilities, or at the end of the output. */
function entriesOf(output: string): Entry[] {
  const entries: Entry[] = [];
  let now: Partial<Record<Field, string>> = {};
  for (const line of linesOf(output)) {
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(0, at));
    if (!isField(name)) continue;
    const value = line.slice(at + 1).trim();
    now[fields[name]] = /not advertised/.test(value) ? "" : value;
    if (name !== "Enabled Capabilities") continue;
    entries.push(entryOf(now));
    now = {};
  }
  if (now.local !== undefined) entries.push(entryOf(now));
  return entries;
}

function isField(name: string): name is keyof typeof fields {
  return Object.hasOwn(fields, name);
}

function entryOf(of: Partial<Record<Field, string>>): Entry {
  return {
    local: canonicalInterface(of.local ?? ""),
    neighbor: {
      parent_interface: "",
      remote_chassis_id: of.chassis ?? "",
      remote_port: of.port ?? "",
      remote_port_description: of.portDescription ?? "",
      remote_system_name: of.name ?? "",
      remote_system_description: of.description ?? "",
      remote_system_capab: capabilities(of.capabilities ?? ""),
      remote_system_enable_capab: capabilities(of.enabled ?? ""),
    },
  };
}

function byInterface(entries: readonly Entry[]): Record<string, LldpNeighborDetail[]> {
  const neighbors: Record<string, LldpNeighborDetail[]> = {};
  for (const { local, neighbor } of entries) slot(neighbors, local, () => []).push(neighbor);
  return neighbors;
}
