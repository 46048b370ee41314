/** Errors in an imported text, as reported by its parser. */
import { ServiceError } from "../../src/base/errors.ts";
import { readInventory } from "./formats.ts";

type Reading = Parameters<typeof readInventory>;

/** Undefined if there are none. */
export function importIssues(...reading: Reading): unknown {
  try {
    readInventory(...reading);
  } catch (error) {
    if (error instanceof ServiceError) return error.detail?.issues ?? error.kind;
    throw error;
  }
  return undefined;
}
