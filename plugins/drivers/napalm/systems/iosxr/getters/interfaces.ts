/** State of each interface. */
import type { XmlElement } from "patchbay/plugin";
import { decimal } from "../../../common/numbers.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { decimalAt, integerAt, normalMac } from "./values.ts";

export const getInterfaces: Getter<XrDevice, "get_interfaces"> = (device) => readInterfaces(device);

export async function readInterfaces(device: XrDevice): Promise<Record<string, Interface>> {
  const response = await device.ask("<Get><Operational><Interfaces/></Operational></Get>");
  const interfaces: Record<string, Interface> = {};
  for (const container of response.descendants("Interfaces"))
    for (const element of container.all("InterfaceTable/Interface")) {
      const name = element.textOf("Naming/InterfaceName");
      if (name !== "") interfaces[name] = interfaceOf(element);
    }
  return interfaces;
}

/** In nanoseconds. */
function lastFlapped(element: XmlElement): number {
  const nanoseconds = decimal(element.textOf("LastStateTransitionTime"), -1);
  return nanoseconds === -1 ? -1 : nanoseconds / 1e9;
}

function interfaceOf(element: XmlElement): Interface {
  return {
    is_up: element.textOf("LineState") === "IM_STATE_UP",
    is_enabled: element.textOf("State") !== "IM_STATE_ADMINDOWN",
    description: element.textOf("Description"),
    last_flapped: lastFlapped(element),
    mtu: integerAt(element, "MTU"),
    speed: decimalAt(element, "Bandwidth") * 1e-3,
    mac_address: normalMac(element.textOf("MACAddress/Address")),
  };
}
