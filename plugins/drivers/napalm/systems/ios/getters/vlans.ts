/** `get_vlans` of IOS. */
import { canonicalInterface } from "../../../common/interface-names.ts";
import { linesOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

/** Blanks behind the state are a VLAN without ports: it is left out of the long table, as NAPALM leaves it out. */
const vlanLine = /^(\d{1,4})\s+(\S.*?)\s+(?:active|act\/[isl]shut|act\/unsup)(?:\s+([A-Z][a-z].*))?$/;
/** The name with the blanks behind it: NAPALM keeps them. */
const shortLine = /^(\d{1,4})\s+(\S.*?)(?:active|act\/[isl]shut|act\/unsup)/;
const portsLine = /^\s+([A-Z][a-z].*)$/;

interface Found {
  readonly id: string;
  readonly name: string;
  readonly interfaces: string[];
}

export const getVlans: Getter<IosDevice, "get_vlans"> = async (device) => {
  const all = await device.ask("show vlan all-ports");
  const vlans = isUnknown(all) ? await oneByOne(device) : vlansOf(all);
  return Object.fromEntries(vlans.map(({ id, name, interfaces }) => [id, { name, interfaces }]));
};

/** The short table leaves out trunks: each VLAN is asked for. */
async function oneByOne(device: IosDevice): Promise<Found[]> {
  const vlans: Found[] = [];
  for (const line of linesOf(await device.ask("show vlan brief"))) {
    const [, id, name = ""] = shortLine.exec(line) ?? [];
    if (id === undefined) continue;
    const [found] = vlansOf(await device.ask(`show vlan id ${id}`));
    vlans.push(found ?? { id, name, interfaces: [] });
  }
  return vlans;
}

function vlansOf(output: string): Found[] {
  const vlans: Found[] = [];
  let now: Found | undefined;
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
