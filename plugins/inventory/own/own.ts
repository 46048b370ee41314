/** The inventory's own form, `{"groups": […], "devices": […]}` or a list of devices, in JSON or YAML. */
import {
  type ExportedInventory,
  type InventoryEntry,
  type InventoryFormat,
  type InventoryFormatKit,
  Issues,
  invalid,
  inventoryTextLimits,
  isRecord,
  Notes,
  parseExact,
  type ReadInventory,
  stringifyExact,
} from "patchbay/plugin";
import { indented } from "../shared/fields.ts";
import { jsonPlaces } from "./json-places.ts";

export const jsonFormat = (): InventoryFormat => ({ read: readJson, write: jsonPieces });

export const yamlFormat = ({ readYaml, writeYaml }: InventoryFormatKit): InventoryFormat => ({
  read: (text) => readYamlText(text, readYaml),
  write: (inventory) => yamlPieces(inventory, writeYaml),
});

/** @throws ServiceError Validation */
function readJson(text: string): ReadInventory {
  const places = jsonPlaces(text, inventoryTextLimits.depth);
  if ("message" in places) throw invalid(`line ${places.line}, column ${places.column}`, places.message);
  const value = parseExact(text.startsWith("\ufeff") ? text.slice(1) : text);
  return ownInventory(value, (list, index) => places.get(list)?.[index]);
}

/** @throws ServiceError Validation */
function readYamlText(text: string, readYaml: InventoryFormatKit["readYaml"]): ReadInventory {
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
  const entriesOf = (list: string, members: unknown): InventoryEntry[] => {
    if (members === undefined || members === null) return [];
    if (!Array.isArray(members)) {
      problems.add(list, "must be a list");
      return [];
    }
    return members.flatMap((fields: unknown, index): InventoryEntry[] => {
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

function* jsonPieces({ devices, groups }: ExportedInventory): Generator<string> {
  yield '{"groups":[';
  yield* lines(groups);
  yield '],\n"devices":[';
  yield* lines(devices.map(({ own }) => own));
  yield "]}\n";
}

function* lines(entries: readonly unknown[]): Generator<string> {
  for (const [at, entry] of entries.entries()) yield `${at === 0 ? "\n" : ",\n"}${stringifyExact(entry)}`;
}

function* yamlPieces(
  { devices, groups }: ExportedInventory,
  writeYaml: InventoryFormatKit["writeYaml"],
): Generator<string> {
  yield groups.length === 0 ? "groups: []\n" : "groups:\n";
  for (const group of groups) yield listed(group, writeYaml);
  yield devices.length === 0 ? "devices: []\n" : "devices:\n";
  for (const { own } of devices) yield listed(own, writeYaml);
}

function listed(entry: unknown, writeYaml: InventoryFormatKit["writeYaml"]): string {
  return indented(writeYaml([entry]), "  ");
}
