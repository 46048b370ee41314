/** Inventory of devices as records of description, module, serial and slot. */
import { PyDict } from "../../python/dict.ts";
import { truth, type Value } from "../../python/values.ts";
import { inventoryRecord } from "./model.ts";
import { capturedJson, dictsOf, field, isDict, listOf, textOf } from "./values.ts";

const make = (description: string, module: string, serial: string, slot: string): PyDict =>
  inventoryRecord.check(
    PyDict.from([
      ["description", description],
      ["module", module],
      ["serial", serial],
      ["slot", slot],
    ]),
  );

/** Records in lists of any depth. */
export function a10Inventory(payload: Value): Value {
  if (Array.isArray(payload)) return payload.flatMap((one) => listOf(a10Inventory(one)));
  return isDict(payload) && payload.size > 0 ? [inventoryRecord.check(payload)] : [];
}

export function iosInventory(payload: Value): Value {
  return dictsOf(payload)
    .filter((item) => ["description", "serial", "slot"].every((name) => truth(field(item, name))))
    .map((item) => {
      if (!item.has("module")) item.set("module", "");
      return inventoryRecord.check(item);
    });
}

export function xrInventory(payload: Value): Value {
  return dictsOf(payload).map((item) => inventoryRecord.check(item));
}

const isMissing = (serial: string): boolean => serial === "" || serial.toUpperCase() === "N/A";

export function aristaInventory(payload: Value): Value {
  const data = capturedJson(payload);
  const records: Value[] = [];
  const add = (item: Value | undefined, slot: string): void => {
    if (!isDict(item)) return;
    const given = (name: string) => textOf(item.get(name) ?? "").trim();
    if (isMissing(given("serialNum"))) return;
    const name = [field(item, "name"), field(item, "modelName")].find((one) => truth(one)) ?? "";
    records.push(make(given("description"), textOf(name).trim(), given("serialNum"), slot));
  };
  add(data.get("systemInformation"), "chassis");
  for (const [key, slots] of data.entries()) {
    const kind = /^(.*)Slots$/.exec(textOf(key))?.[1];
    if (kind === undefined || !isDict(slots)) continue;
    for (const [place, item] of slots.entries()) add(item, `${kind.toLowerCase()}-${textOf(place)}`);
  }
  return records;
}

export function nxosInventory(payload: Value): Value {
  const table = capturedJson(payload).get("TABLE_inv");
  const rows = isDict(table) ? table.get("ROW_inv") : undefined;
  const clean = (row: PyDict, name: string): string => {
    const value = field(row, name);
    return value === null ? "" : textOf(value).replaceAll('"', "").trim();
  };
  return (isDict(rows) ? [rows] : dictsOf(rows))
    .filter((row) => !isMissing(clean(row, "serialnum")))
    .map((row) =>
      make(clean(row, "desc"), clean(row, "productid"), clean(row, "serialnum"), clean(row, "name")),
    );
}

/** The first text in the `data` fields of a list. */
function firstData(node: PyDict, name: string): string | undefined {
  for (const item of dictsOf(node.get(name))) {
    const data = item.get("data");
    if (typeof data === "string" && data.trim() !== "") return data.trim();
  }
  return undefined;
}

/** Every node of the tree that has a serial number; the last ones first. */
export function junosInventory(payload: Value): Value {
  const records: Value[] = [];
  const open: Value[] = [capturedJson(payload)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      open.push(...node);
      continue;
    }
    if (!isDict(node)) continue;
    const serial = firstData(node, "serial-number");
    if (serial !== undefined) {
      const description = firstData(node, "description") ?? "";
      const module = description === "" ? (firstData(node, "part-number") ?? "") : description;
      records.push(make(description, module, serial, firstData(node, "name") ?? ""));
    }
    open.push(...node.values());
  }
  return records;
}
