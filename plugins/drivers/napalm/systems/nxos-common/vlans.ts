/** `get_vlans` of NX-OS. */
import { canonicalInterface, interfaceRange } from "../../common/interface-names.ts";
import type { Vlan } from "../../models.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";
import { rowsOf, textOf } from "./tables.ts";

export const getVlans: Getter<NxosDevice, "get_vlans"> = async (device) => {
  const rows = rowsOf(await device.json("show vlan brief"), "TABLE_vlanbriefxbrief", "ROW_vlanbriefxbrief");
  const vlans: Record<string, Vlan> = {};
  for (const row of rows) {
    const id = textOf(row, "vlanshowbr-vlanid-utf") ?? textOf(row, "vlanshowbr-vlanid");
    if (id === undefined) continue;
    vlans[id] = {
      name: textOf(row, "vlanshowbr-vlanname") ?? "",
      interfaces: portsOf(row["vlanshowplist-ifidx"]),
    };
  }
  return vlans;
};

/** `Ethernet1/1-3,port-channel5`, as text or list. Like NAPALM: a VLAN without ports has one with an empty name. */
function portsOf(ports: unknown): string[] {
  const texts = Array.isArray(ports) ? ports : [ports];
  const names = texts
    .flatMap((text) => (typeof text === "string" ? text.split(",") : []))
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .flatMap(interfaceRange)
    .map(canonicalInterface);
  return names.length === 0 ? [""] : names;
}
