/** Data models of the set's records: fields and their types. */

import {
  PyDict,
  PyError,
  PyFunction,
  PyObject,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";

/** Model -> fields -> types; `?` marks an optional field. */
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

type Check = (value: Value) => boolean;

/** Checks a union of types, separated by spaces. */
function checkOf(types: string): Check {
  const checks = types.split(" ").map((type): Check => {
    const inner = /^list\[(\w+)\]$/.exec(type)?.[1];
    if (inner === undefined) return (value) => typeName(value) === (type === "None" ? "NoneType" : type);
    const check = checkOf(inner);
    return (value) => Array.isArray(value) && value.every(check);
  });
  return (value) => checks.some((check) => check(value));
}

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly check: Check;
}

/**
 * A pydantic model class as templates use it: `Model(**values).model_dump()`; `Model.complete(values)` fills
 * missing fields with None.
 */
class ModelClass extends PyObject {
  override readonly typeName = "ModelMetaclass";
  private readonly fields: readonly Field[];
  constructor(
    private readonly name: string,
    rows: readonly (readonly [string, string])[],
  ) {
    super();
    this.fields = rows.flatMap(([names, types]) =>
      names.split(" ").map((field) => ({
        name: field.replace("?", ""),
        optional: field.endsWith("?"),
        check: checkOf(types),
      })),
    );
  }
  override getattr(name: string): Value | undefined {
    if (name === "model_fields") return this.fields.map((field) => field.name);
    if (name !== "complete") return undefined;
    return new PyFunction(name, ([values]) => this.checked((field) => this.fieldOf(values, field) ?? null));
  }
  override call(args: readonly Value[], kwargs: ReadonlyMap<string, Value> | undefined): Value {
    if (args.length > 0) throw typeError(`${this.name}() takes fields by name`);
    return new Model(
      this.name,
      this.checked((field) => kwargs?.get(field)),
    );
  }
  private fieldOf(values: Value | undefined, field: string): Value | undefined {
    if (values instanceof PyDict) return values.get(field);
    throw typeError(`${this.name}.complete() takes a dictionary`);
  }
  private checked(find: (field: string) => Value | undefined): PyDict {
    const record = new PyDict();
    for (const { name, optional, check } of this.fields) {
      const value = find(name);
      if (value !== undefined && !check(value))
        throw new PyError("ValidationError", `${this.name}: '${name}' must not be ${typeName(value)}`);
      if (value !== undefined) record.set(name, value);
      else if (!optional)
        throw new PyError("ValidationError", `${this.name}: the field '${name}' is missing`);
    }
    return record;
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
