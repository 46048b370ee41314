/** Parses another tool's inventory in a template process, which isolates malicious input. */

import { importFormats } from "../api/inventory-text.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import { stringifyExact } from "../base/json/exact-json.ts";
import { readInventory } from "../inventory/import/read.ts";
import type { InventoryTask, TaskValues } from "../protocol/task.ts";

/** Entries are posted in batches of this size, so that the receiver can yield in between. */
const entriesPerText = 1_000;

/** @throws ServiceError Validation, PayloadTooLarge */
export function readInventoryText({ format, text, delimiter, map }: InventoryTask): TaskValues["inventory"] {
  const importFormat = importFormats.find((name) => name === format);
  if (importFormat === undefined)
    throw new ServiceError("Validation", `There is no format ${format.slice(0, 64)}.`);
  try {
    const { devices, groups, warnings } = readInventory(importFormat, text, { delimiter, map });
    return { devices: texts(devices), groups: texts(groups), warnings: [...warnings] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid("line 1", "it is nested too deep");
  }
}

function texts(entries: readonly unknown[]): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < entries.length; at += entriesPerText)
    chunks.push(stringifyExact(entries.slice(at, at + entriesPerText)));
  return chunks;
}
