/** get_facts of nxos. */
import { integer } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { isRow, type Row } from "../../nxos-common/tables.ts";
import { rawOf, rowsOf, textOf } from "../rows.ts";

export const getFacts: Getter<NxosDevice, "get_facts"> = async (device) => {
  const inventory = rowsOf(await device.json("show inventory"), "inv");
  const version = fieldsOf(await device.json("show version"));
  const interfaces = rowsOf(await device.json("show interface"), "interface");
  const hostname = fieldsOf(await device.json("show hostname"));
  const chassis = inventory.find((row) => textOf(row, "name").replaceAll('"', "") === "Chassis");
  return {
    vendor: "Cisco",
    os_version: textOf(version, "sys_ver_str", "kickstart_ver_str", "nxos_ver_str"),
    uptime: uptimeOf(version),
    interface_list: interfaces.map((row) => rawOf(row, "interface") ?? ""),
    serial_number: rawOf(chassis ?? {}, "serialnum") ?? "",
    model: rawOf(version, "chassis_id") ?? "",
    hostname: rawOf(version, "host_name") ?? "",
    fqdn: textOf(hostname, "hostname"),
  };
};

function fieldsOf(answer: unknown): Row {
  return isRow(answer) ? answer : {};
}

function uptimeOf(version: Row): number {
  const count = (field: string) => integer(textOf(version, field), 0);
  const hours = count("kern_uptm_days") * 24 + count("kern_uptm_hrs");
  return (hours * 60 + count("kern_uptm_mins")) * 60 + count("kern_uptm_secs");
}
