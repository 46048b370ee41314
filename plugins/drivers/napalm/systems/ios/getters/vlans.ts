/** `get_vlans` of IOS. */
import { canonicalInterface } from "../../../common/interface-names.ts";
import { linesOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

/** Like NAPALM: leaves a VLAN out of the full table if only blanks follow its state (no ports). */
const vlanLine = /^(\d{1,4})\s+(\S.*?)\s+(?:active|act\/[isl]shut|act\/unsup)(?:\s+([A-Z][a-z].*))?$/;
/** Like NAPALM: the name includes trailing blanks. */
const shortLine = /^(\d{1,4})\s+(\S.*?)(?:active|act\/[isl]shut|act\/unsup)/;
const portsLine = /^\s+([A-Z][a-z].*)$/;

interface ParsedVlan {
  readonly id: string;
  readonly name: string;
  readonly interfaces: string[];
}

export const getVlans: Getter<IosDevice, "get_vlans"> = async (device) => {
  const allPorts = await device.ask("show vlan all-ports");
  const vlans = isUnknown(allPorts) ? await oneByOne(device) : vlansOf(allPorts);
  return Object.fromEntries(vlans.map(({ id, name, interfaces }) => [id, { name, interfaces }]));
};

/** The brief table omits trunks, so each VLAN is queried separately. */
async function oneByOne(device: IosDevice): Promise<ParsedVlan[]> {
  const vlans: ParsedVlan[] = [];
  for (const line of linesOf(await device.ask("show vlan brief"))) {
    const [, id, name = ""] = shortLine.exec(line) ?? [];
    if (id === undefined) continue;
    const [found] = vlansOf(await device.ask(`show vlan id ${id}`));
    vlans.push(found ?? { id, name, interfaces: [] });
  }
  return vlans;
}

function vlansOf(output: string): ParsedVlan[] {
  const vlans: ParsedVlan[] = [];
  let now: ParsedVlan | undefined;
  for (const line of linesOf(output)) {
    const [, id, name = "", ports = ""] = vlanLine.exec(line) ?? [];
    const more = now === undefined ? undefined : portsLine.exec(line)?.[1];
    if (id !== undefined) {
      now = { id, name, interfaces: portsIn(ports) };
      vlans.push(now);
    } else if (now !== undefined && more !== undefined) now.interfaces.push(...portsIn(more));
    else now = undefined;
  }
  return vlans;
}

const portsIn = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^[A-Z][a-z]/.test(name))
    .map((name) => canonicalInterface(name));
