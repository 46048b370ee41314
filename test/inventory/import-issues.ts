/** What is wrong with a text that is imported, as its reader tells. */
import { ServiceError } from "../../src/base/errors.ts";
import { readInventory } from "../../src/inventory/import/read.ts";

type Reading = Parameters<typeof readInventory>;

/** Undefined where nothing is. */
export function importIssues(...reading: Reading): unknown {
  try {
    readInventory(...reading);
  } catch (error) {
    if (error instanceof ServiceError) return error.detail?.issues ?? error.kind;
    throw error;
  }
  return undefined;
}
