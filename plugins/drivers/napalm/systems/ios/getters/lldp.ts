/** `get_lldp_neighbors` and its detail on IOS. */
import { macAddress } from "../../../common/addresses.ts";
import { capabilities } from "../../../common/capabilities.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, unreadable } from "../../../common/text.ts";
import type { LldpNeighborDetail } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

const field =
  /^(Local Int(?:er)?f(?:ace)?|Chassis id|Port id|Port Description|System Name|System Description|System Capabilities|Enabled Capabilities)\s*[:-]\s*(.*)$/;
/** Width of the first column of the brief table; longer names run into the second. */
const nameWidth = 20;

type Entry = Map<string, string>;

export const getLldpNeighborsDetail: Getter<IosDevice, "get_lldp_neighbors_detail"> = async (
  device,
  { interface: name },
) => {
  const nameArgument = name === "" ? "" : `${name} `;
  const entries = entriesOf(await device.ask(`show lldp neighbors ${nameArgument}detail`));
  const locals = entries.map((entry) => entry.get("local") ?? "");
  // Older releases show the interface only in the brief table, which has the same order.
  if (locals[0] === "") {
    const command = `show lldp neighbors ${nameArgument}`.trim();
    const names = localsOf(await device.ask(command));
    if (names.length !== entries.length) {
      throw unreadable(command, `${names.length} neighbours, but details of ${entries.length}`);
    }
    locals.splice(0, locals.length, ...locals.map((local, at) => local || (names[at] ?? "")));
  }
  const neighbors: Record<string, LldpNeighborDetail[]> = {};
  for (const [at, entry] of entries.entries()) {
    slot(neighbors, canonicalInterface(locals[at] ?? ""), () => []).push(neighborOf(entry));
  }
  return neighbors;
};

export const getLldpNeighbors: Getter<IosDevice, "get_lldp_neighbors"> = async (device) => {
  const detail = await getLldpNeighborsDetail(device, { interface: "" });
  return Object.fromEntries(
    Object.entries(detail).map(([local, neighbors]) => [
      local,
      neighbors.map(({ remote_system_name, remote_chassis_id, remote_port }) => ({
        hostname: remote_system_name === "" ? remote_chassis_id : remote_system_name,
        port: portOf(remote_port),
      })),
    ]),
  );
};

/** A port that is a MAC address in NAPALM's format; a number stays a number. */
function portOf(port: string): string {
  const groups = port.split(/[.:-]/).length;
  return groups === 6 || (groups === 3 && port.split(".").length === 3) ? (macAddress(port) ?? port) : port;
}

/** An entry ends at its enabled capabilities, or at the end of the output. */
function entriesOf(output: string): Entry[] {
  const entries: Entry[] = [];
  let now: Entry = new Map();
  let describes = false;
  for (const line of linesOf(output)) {
    if (describes) {
      if (line.trim() === "") continue;
      now.set("System Description", line);
      describes = false;
      continue;
    }
    const [, name = "", value = ""] = field.exec(line) ?? [];
    if (name === "") continue;
    describes = /^System Description:\s*$/.test(line);
    now.set(name.startsWith("Local") ? "local" : name, value.trim());
    if (name !== "Enabled Capabilities") continue;
    entries.push(now);
    now = new Map();
  }
  if (now.size > 0) entries.push(now);
  return entries;
}

function neighborOf(entry: Entry): LldpNeighborDetail {
  const of = (name: string) => {
    const value = entry.get(name) ?? "";
    return value.includes("not advertised") ? "" : value;
  };
  const chassis = of("Chassis id");
  return {
    parent_interface: "",
    remote_chassis_id: macAddress(chassis) ?? chassis,
    remote_port: of("Port id"),
    remote_port_description: of("Port Description"),
    remote_system_name: of("System Name"),
    remote_system_description: of("System Description"),
    remote_system_capab: capabilities(of("System Capabilities")),
    remote_system_enable_capab: capabilities(of("Enabled Capabilities")),
  };
}

function localsOf(output: string): string[] {
  const lines = linesOf(output);
  const head = lines.findIndex((line) => line.startsWith("Device ID"));
  const names: string[] = [];
  for (const line of head < 0 ? [] : lines.slice(head + 1)) {
    if (line.trim() === "" || line.startsWith("Total entries")) break;
    const name = firstGroup(/^(\S{1,15})/, line.slice(nameWidth));
    if (name !== undefined) names.push(name);
  }
  return names;
}
