/** Getters that read the running configuration. */
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { snmpOf } from "../../nxos-common/snmp.ts";
import { usersOf } from "../../nxos-common/users.ts";

const question = "show running-config";
const nothing = { chassis_id: "", community: {}, contact: "", location: "" };

export const getSnmpInformation: Getter<NxosDevice, "get_snmp_information"> = async (device) =>
  snmpOf(await device.text(question)) ?? nothing;

export const getUsers: Getter<NxosDevice, "get_users"> = async (device) =>
  usersOf(await device.text(question));
