/** The models of a set's records: which fields they have, and of which types. */
import { PyDict } from "../python/dict.ts";
import { PyError, typeError } from "../python/errors.ts";
import { PyFunction, PyObject, typeName, type Value } from "../python/values.ts";

/** Model -> fields -> their types; a name with `?` may be left out. */
const MODELS: Readonly<Record<string, readonly (readonly [fields: string, types: string])[]>> = {
  ArpRecord: [
    ["ip", "str"],
    ["age", "int str"],
    ["mac", "str"],
    ["interface? protocol? state? type?", "str None"],
  ],
  InventoryRecord: [["description module serial slot", "str"]],
  InterfaceConfigRecord: [
    ["name type", "str"],
    ["enabled", "bool"],
    ["parent lag", "str None"],
    ["lag_id", "int None"],
    ["lag_type lacp_mode", "str None"],
    ["mtu", "int None"],
    ["mac_address", "str None"],
    ["speed", "int None"],
    ["duplex description mode", "str None"],
    ["untagged_vlan", "int None"],
    ["tagged_vlans", "list[int]"],
    ["ipv4_addresses ipv6_addresses", "list[str]"],
    ["qinq_svlan", "int None"],
    ["vrf", "str None"],
  ],
  LldpNeighborRecord: [
    ["interface", "str"],
    ["remote_device remote_interface remote_system_description remote_chassi_id", "str None"],
    ["remote_interface_description remote_device_management_ip", "str None"],
  ],
};

function isOfType(value: Value, type: string): boolean {
  const inner = /^list\[(\w+)\]$/.exec(type)?.[1];
  if (inner !== undefined) return Array.isArray(value) && value.every((one) => isOfType(one, inner));
  return typeName(value) === (type === "None" ? "NoneType" : type);
}

/** A class of pydantic as templates use it: `Model(**values).model_dump()`, `Model.model_fields`. */
class ModelClass extends PyObject {
  override readonly typeName = "ModelMetaclass";
  private readonly fields: readonly { name: string; optional: boolean; types: readonly string[] }[];
  constructor(
    private readonly name: string,
    rows: readonly (readonly [string, string])[],
  ) {
    super();
    this.fields = rows.flatMap(([names, types]) =>
      names.split(" ").map((field) => ({
        name: field.replace("?", ""),
        optional: field.endsWith("?"),
        types: types.split(" "),
      })),
    );
  }
  override getattr(name: string): Value | undefined {
    return name === "model_fields" ? this.fields.map((field) => field.name) : undefined;
  }
  override call(args: readonly Value[], kwargs: ReadonlyMap<string, Value> | undefined): Value {
    if (args.length > 0) throw typeError(`${this.name}() takes fields by name`);
    const record = new PyDict();
    for (const { name, optional, types } of this.fields) {
      const value = kwargs?.get(name);
      if (value !== undefined && !types.some((type) => isOfType(value, type)))
        throw new PyError("ValidationError", `${this.name}: '${name}' must not be ${typeName(value)}`);
      if (value !== undefined) record.set(name, value);
      else if (!optional)
        throw new PyError("ValidationError", `${this.name}: the field '${name}' is missing`);
    }
    return new Model(this.name, record);
  }
}

class Model extends PyObject {
  constructor(
    override readonly typeName: string,
    private readonly record: PyDict,
  ) {
    super();
  }
  override getattr(name: string): Value | undefined {
    if (name === "model_dump" || name === "dict") return new PyFunction(name, () => this.record.copy());
    return this.record.get(name);
  }
}

export const models: ReadonlyMap<string, Value> = new Map(
  Object.entries(MODELS).map(([name, rows]) => [name, new ModelClass(name, rows)]),
);
