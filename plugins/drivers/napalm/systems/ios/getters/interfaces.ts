/** `get_interfaces` of IOS. */
import { macAddress } from "../../../common/addresses.ts";
import { firstGroup, linesOf } from "../../../common/text.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

const withProtocol = /^(\S+|Control Plane Interface)\s+is\s+(\S.*?),\s+line\s+protocol\s+is\s+(\S+)/;
const withoutProtocol = /^(\S+)\s+is\s+(up|down)/;

interface Head {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isUp: boolean;
}

export const getInterfaces: Getter<IosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  let head: Head | undefined;
  let mac = "";
  let description = "";
  for (const line of linesOf(await device.ask("show interfaces"))) {
    const nextHead = headOf(line);
    if (nextHead !== undefined) {
      head = nextHead;
      mac = "";
      description = "";
    }
    if (head === undefined) continue;
    const address = firstGroup(/^\s+Hardware.+address\s+is\s+([0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})/i, line);
    if (address !== undefined) mac = macAddress(address) ?? "";
    description = firstGroup(/^\s+Description:\s+(\S.*)$/, line) ?? description;
    const [, mtu, width, unit] = /^\s+MTU\s+(\d+).+BW\s+(\d+)\s+([KMG]?b)/.exec(line) ?? [];
    if (mtu === undefined) continue;
    interfaces[head.name] = {
      is_enabled: head.isEnabled,
      is_up: head.isUp,
      description,
      mac_address: mac,
      last_flapped: -1,
      mtu: Number(mtu),
      speed: speedOf(Number(width), unit ?? ""),
    };
    head = undefined;
  }
  return interfaces;
};

function headOf(line: string): Head | undefined {
  const [, name, status = "", protocol] = withProtocol.exec(line) ?? withoutProtocol.exec(line) ?? [];
  if (name === undefined) return undefined;
  return {
    name,
    isEnabled: !status.toLowerCase().includes("admin"),
    isUp: (protocol ?? status).includes("up"),
  };
}

/** In Mbit/s. */
function speedOf(width: number, unit: string): number {
  return unit === "Kb" ? width / 1000 : unit === "Gb" ? width * 1000 : width;
}
