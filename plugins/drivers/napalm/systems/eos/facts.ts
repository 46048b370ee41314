/** get_facts. */
import * as v from "valibot";
import { naturally } from "../../common/natural-order.ts";
import { shaped } from "../../common/shape.ts";
import type { Getter } from "./device.ts";

const version = v.object({
  modelName: v.string(),
  serialNumber: v.optional(v.string(), ""),
  internalVersion: v.optional(v.string()),
  version: v.optional(v.string(), ""),
  bootupTimestamp: v.number(),
});
const hostname = v.object({ hostname: v.string(), fqdn: v.string() });
const interfaces = v.object({ interfaces: v.record(v.string(), v.unknown()) });
const answers = v.tuple([version, hostname, interfaces]);

export const get_facts: Getter<"get_facts"> = async (device) => {
  const responses = await device.json("show version", "show hostname", "show interfaces");
  const [switchVersion, { hostname, fqdn }, { interfaces }] = shaped(answers, responses);
  return {
    hostname,
    fqdn,
    vendor: "Arista",
    model: switchVersion.modelName,
    serial_number: switchVersion.serialNumber,
    os_version: switchVersion.internalVersion ?? switchVersion.version,
    uptime: Date.now() / 1000 - switchVersion.bootupTimestamp,
    // Leaves out subinterfaces.
    interface_list: Object.keys(interfaces)
      .filter((name) => !name.includes("."))
      .sort(naturally),
  };
};
