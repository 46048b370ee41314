/** Parses a text into devices and groups. Runs in a template process, which isolates hostile input. */

import type { ImportFormat } from "../../api/inventory-text.ts";
import { ServiceError } from "../../base/errors.ts";
import { readAnsible } from "./ansible.ts";
import { readCsvInventory } from "./csv.ts";
import { checkEntries, importLimits, type ReadInventory } from "./document.ts";
import { readNetpulse } from "./netpulse.ts";
import { readNornir } from "./nornir.ts";
import { readJsonInventory, readYamlInventory } from "./own.ts";
import { type OxidizedOptions, readOxidized } from "./oxidized.ts";

const readers: Readonly<Record<ImportFormat, (text: string, options: OxidizedOptions) => ReadInventory>> = {
  csv: readCsvInventory,
  yaml: readYamlInventory,
  json: readJsonInventory,
  nornir: readNornir,
  ansible: readAnsible,
  oxidized: readOxidized,
  netpulse: readNetpulse,
};

/** @throws ServiceError Validation (issues by line), PayloadTooLarge */
export function readInventory(
  format: ImportFormat,
  text: string,
  options: OxidizedOptions = {},
): ReadInventory {
  if (text.length > importLimits.bytes)
    throw new ServiceError("PayloadTooLarge", `The text is larger than ${importLimits.bytes} bytes.`);
  const read = readers[format](text, options);
  checkEntries(read);
  return read;
}
