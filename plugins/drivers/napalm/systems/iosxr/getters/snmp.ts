/** SNMP settings. */
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { anywhere } from "./values.ts";

const modes: Readonly<Record<string, string>> = { ReadOnly: "ro", ReadWrite: "rw" };

export const getSnmpInformation: Getter<XrDevice, "get_snmp_information"> = async (device) => {
  const response = await device.ask("<Get><Configuration><SNMP></SNMP></Configuration></Get>");
  const communities = response.descendants("DefaultCommunity").map((element) => [
    element.textOf("Naming/CommunityName"),
    // Spelled like this by the router.
    { mode: modes[element.textOf("Priviledge")] ?? "", acl: element.textOf("AccessList") },
  ]);
  return {
    chassis_id: anywhere(response, "ChassisID"),
    contact: anywhere(response, "Contact"),
    location: anywhere(response, "Location"),
    community: Object.fromEntries(communities),
  };
};
