/** Records that must have certain fields of certain types. */
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { isInt, typeName, type Value } from "../../python/values.ts";

export type Check = (value: Value) => boolean;

export const isText: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => isInt(value);
export const isBool: Check = (value) => typeof value === "boolean";
export const orNone =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

export interface Field {
  readonly name: string;
  readonly check: Check;
  readonly optional?: boolean;
}

export interface Model {
  /** The fields of the model in its order, others left out. @throws PyError ValidationError */
  check(values: PyDict): PyDict;
}

export function createModel(name: string, fields: readonly Field[]): Model {
  return {
    check(values) {
      const made = new PyDict();
      for (const { name: key, check, optional } of fields) {
        const value = values.get(key);
        if (value === undefined) {
          if (optional !== true)
            throw new PyError("ValidationError", `${name}: the field '${key}' is missing`);
          continue;
        }
        if (!check(value))
          throw new PyError("ValidationError", `${name}: '${key}' must not be ${typeName(value)}`);
        made.set(key, value);
      }
      return made;
    },
  };
}

const required = (check: Check, names: string): Field[] => names.split(" ").map((name) => ({ name, check }));

export const inventoryRecord = createModel(
  "InventoryRecord",
  required(isText, "description module serial slot"),
);

export const arpRecord = createModel("ArpRecord", [
  ...required(isText, "ip"),
  ...required(either(isNumber, isText), "age"),
  ...required(isText, "mac"),
  ...required(orNone(isText), "interface protocol state type").map((one) => ({ ...one, optional: true })),
]);

const text = orNone(isText);
const number = orNone(isNumber);

export const interfaceRecord = createModel("InterfaceConfigRecord", [
  ...required(isText, "name type"),
  ...required(isBool, "enabled"),
  ...required(text, "parent lag"),
  ...required(number, "lag_id"),
  ...required(text, "lag_type lacp_mode"),
  ...required(number, "mtu"),
  ...required(text, "mac_address"),
  ...required(number, "speed"),
  ...required(text, "duplex description mode"),
  ...required(number, "untagged_vlan"),
  ...required(listOf(isNumber), "tagged_vlans"),
  ...required(listOf(isText), "ipv4_addresses ipv6_addresses"),
  ...required(number, "qinq_svlan"),
  ...required(text, "vrf"),
]);

export const lldpRecord = createModel("LldpNeighborRecord", [
  ...required(isText, "interface"),
  ...required(
    text,
    "remote_device remote_interface remote_system_description remote_chassi_id remote_interface_description remote_device_management_ip",
  ),
]);
