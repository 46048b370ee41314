/** LLDP neighbours as records with one fixed set of fields, and in the shape of OpenConfig. */
import { PyDict } from "../../python/dict.ts";
import type { Value } from "../../python/values.ts";
import { junosData } from "./bgp.ts";
import { lldpRecord } from "./model.ts";
import { capturedJson, dictsOf, field, isDict, listOf } from "./values.ts";

const RECORD =
  "interface remote_device remote_interface remote_system_description remote_chassi_id remote_interface_description remote_device_management_ip";

const make = (...values: Value[]): PyDict =>
  PyDict.from(RECORD.split(" ").map((name, i): [string, Value] => [name, values[i] ?? null]));

export function aristaLldp(payload: Value): Value {
  const interfaces = capturedJson(payload).get("lldpNeighbors");
  if (!isDict(interfaces)) return [];
  return interfaces
    .entries()
    .flatMap(([name, data]) =>
      isDict(data) ? dictsOf(data.get("lldpNeighborInfo")).map((one) => aristaNeighbour(name, one)) : [],
    );
}

function aristaNeighbour(name: Value, neighbour: PyDict): PyDict {
  const info = neighbour.get("neighborInterfaceInfo");
  const remote = isDict(info) ? info : new PyDict();
  const address = dictsOf(neighbour.get("managementAddresses")).find((one) => one.has("address"));
  return make(
    name,
    field(neighbour, "systemName"),
    field(remote, "interfaceId_v2"),
    field(neighbour, "systemDescription"),
    field(neighbour, "chassisId"),
    field(remote, "interfaceDescription"),
    address === undefined ? null : field(address, "address"),
  );
}

export function junosLldp(payload: Value): Value {
  return dictsOf(capturedJson(payload).get("lldp-neighbors-information"))
    .flatMap((block) => dictsOf(block.get("lldp-neighbor-information")))
    .map((one) => {
      const [outer] = listOf(one.get("lldp-system-description"));
      return lldpRecord.check(
        make(
          junosData(one, "lldp-local-interface"),
          junosData(one, "lldp-remote-system-name"),
          junosData(one, "lldp-remote-port-id"),
          isDict(outer) ? junosData(outer, "lldp-remote-system-description") : null,
          junosData(one, "lldp-remote-chassis-id"),
          junosData(one, "lldp-remote-port-description"),
          junosData(one, "lldp-remote-management-address"),
        ),
      );
    });
}

const dict = (...entries: [string, Value][]): PyDict => PyDict.from(entries);

/** The value at a path of dictionaries, an empty one where it does not lead on. */
function inside(value: Value, ...path: string[]): PyDict {
  let at: Value | undefined = value;
  for (const name of path) at = isDict(at) ? at.get(name) : undefined;
  return isDict(at) ? at : new PyDict();
}

/** The names are those of the templates, spelling included. */
export function openconfigLldp(data: Value): Value {
  return dictsOf(data).map((item) => {
    const interfaces = inside(item, "lldp", "interfaces", "inderface")
      .entries()
      .map(([name, value]): Value => {
        const made = dict(["name", ""]);
        made.set("name", name);
        if (!isDict(value)) return made;
        const neighbours = inside(value, "neighbors");
        neighbours.set(
          "neighbor",
          listOf(neighbours.get("neighbor")).map((one, i): Value => {
            const state = dict(["id", i + 1]);
            if (isDict(one)) for (const [key, own] of one.entries()) state.set(key, own);
            return dict(["id", i + 1], ["state", state]);
          }),
        );
        for (const [key, own] of value.entries()) made.set(key, own);
        return made;
      });
    const system = field(inside(item, "system_name"), "hostname");
    return dict([
      "opencondig-lldp",
      dict([
        "lldp",
        dict(["interfaces", dict(["interface", interfaces])], ["config", dict(["system-name", system])]),
      ]),
    ]);
  });
}
