/** `get_snmp_information` of IOS. */
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

const unknown = "unknown";

export const getSnmpInformation: Getter<IosDevice, "get_snmp_information"> = async (device) => {
  const of = { chassis_id: unknown, contact: unknown, location: unknown };
  const community: Record<string, { mode: string; acl: string }> = {};
  for (const line of linesOf(await device.ask("show run | include snmp-server"))) {
    const [server, field, ...words] = wordsOf(line);
    if (server !== "snmp-server") continue;
    if (field === "community") {
      // Like NAPALM: if a view precedes the mode, its keyword and name are read as mode and access list.
      const [name = "", mode, acl] = words;
      community[name] = { mode: mode?.toLowerCase() ?? "N/A", acl: acl ?? "N/A" };
    } else if (field === "location") of.location = words.join(" ");
    else if (field === "contact") of.contact = words.join(" ");
    else if (field === "chassis-id") of.chassis_id = words.join(" ");
  }
  if (of.chassis_id === unknown) of.chassis_id = await device.ask("show snmp chassis");
  return { ...of, community };
};
