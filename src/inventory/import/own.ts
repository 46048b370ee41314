/** Imports the inventory's own format, `{"groups": […], "devices": […]}` or a list of devices, in JSON or YAML. */

import { Issues, invalid } from "../../base/issues.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { readYaml } from "../../base/yaml/yaml-read.ts";
import { type Entry, importLimits, Notes, type ReadInventory } from "./document.ts";
import { jsonPlaces } from "./json-places.ts";

/** @throws ServiceError Validation */
export function readJsonInventory(text: string): ReadInventory {
  const places = jsonPlaces(text, importLimits.depth);
  if ("message" in places) throw invalid(`line ${places.line}, column ${places.column}`, places.message);
  const value = parseExact(text.startsWith("\ufeff") ? text.slice(1) : text);
  return ownInventory(value, (list, index) => places.get(list)?.[index]);
}

/** @throws ServiceError Validation */
export function readYamlInventory(text: string): ReadInventory {
  const { value, warnings, lineOf } = readYaml(text, "", "core");
  const notes = new Notes();
  notes.addRead(warnings, "");
  const read = ownInventory(value, (list, index) => lineOf(list === "" ? [index] : [list, index]));
  return { ...read, warnings: notes.list() };
}

function ownInventory(
  value: unknown,
  lineOf: (list: string, index: number) => number | undefined,
): ReadInventory {
  const problems = new Issues();
  const entriesOf = (list: string, members: unknown): Entry[] => {
    if (members === undefined || members === null) return [];
    if (!Array.isArray(members)) {
      problems.add(list, "must be a list");
      return [];
    }
    return members.flatMap((fields: unknown, index): Entry[] => {
      const at = `line ${lineOf(list, index) ?? 1}`;
      if (isRecord(fields)) return [{ fields, at }];
      problems.add(at, "must be an object with a name");
      return [];
    });
  };
  if (Array.isArray(value)) {
    const devices = entriesOf("", value);
    problems.check();
    return { devices, groups: [], warnings: [] };
  }
  if (!isRecord(value))
    throw invalid("line 1", "must be an object with devices and groups, or a list of devices");
  const { devices, groups, ...others } = value;
  for (const name of Object.keys(others))
    problems.add(
      "",
      `${JSON.stringify(name.slice(0, 64))} is not part of an inventory: known are devices and groups`,
    );
  if (devices === undefined && groups === undefined)
    problems.add("line 1", "it has neither devices nor groups");
  const inventory = {
    devices: entriesOf("devices", devices),
    groups: entriesOf("groups", groups),
    warnings: [],
  };
  problems.check();
  return inventory;
}
