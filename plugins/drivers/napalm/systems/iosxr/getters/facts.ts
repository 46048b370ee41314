/** get_facts of iosxr. */
import type { XmlElement } from "patchbay/plugin";
import { decimal } from "../../../common/numbers.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { Facts } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { readInterfaces } from "./interfaces.ts";

const platform =
  "<Get><Operational><SystemTime/><PlatformInventory><RackTable><Rack><Naming><Name>0</Name></Naming><Attributes><BasicInfo/></Attributes></Rack></RackTable></PlatformInventory></Operational></Get>";
/** For versions without a platform inventory. */
const inventory =
  "<Get><Operational><SystemTime/><Inventory><Entities><Entity><Naming><Name>Rack 0</Name></Naming><Attributes><InvBasicBag></InvBasicBag></Attributes></Entity></Entities></Inventory></Operational></Get>";

export const getFacts: Getter<XrDevice, "get_facts"> = async (device) => {
  const response = await unlessRefused(device.ask(platform), () => device.ask(inventory));
  return factsOf(response, Object.keys(await readInterfaces(device)).sort());
};

function factsOf(response: XmlElement, interface_list: readonly string[]): Facts {
  const time = response.descendants("SystemTime")[0]?.find("Uptime");
  const chassis = response.descendants("BasicInfo")[0] ?? response.descendants("InvBasicBag")[0];
  const hostname = time?.textOf("Hostname") ?? "";
  return {
    vendor: "Cisco",
    os_version: chassis?.textOf("SoftwareRevision") ?? "",
    hostname,
    fqdn: hostname,
    uptime: decimal(time?.textOf("Uptime"), -1),
    serial_number: chassis?.textOf("SerialNumber") ?? "",
    model: chassis?.textOf("ModelName") ?? "",
    interface_list,
  };
}
