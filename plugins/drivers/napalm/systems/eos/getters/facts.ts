/** get_facts. */
import * as v from "valibot";
import { shaped } from "../../../common/shape.ts";
import type { Getter } from "../device.ts";

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

/** Natural sort order of names: `Ethernet2` before `Ethernet10`. */
function naturally(first: string, second: string): number {
  const [a, b] = [parts(first), parts(second)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    // Every second part is a number.
    if (at % 2 === 1) return Number(left) - Number(right) || (left < right ? -1 : 1);
    return left < right ? -1 : 1;
  }
  return 0;
}

const parts = (name: string): string[] => name.split(/(\d+)/);
