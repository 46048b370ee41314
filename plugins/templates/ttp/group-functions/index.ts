/** All group functions by name. */
import { groupValidation } from "../cerberus/functions.ts";
import type { DataFunction } from "../runtime.ts";
import { changeFunctions } from "./changes.ts";
import { checkFunctions } from "./checks.ts";

const FUNCTIONS: ReadonlyMap<string, DataFunction> = new Map(
  Object.entries({ ...checkFunctions, ...changeFunctions, ...groupValidation }),
);

export const groupFunctionNames: readonly string[] = [...FUNCTIONS.keys()];

export function groupFunction(name: string): DataFunction | undefined {
  return FUNCTIONS.get(name);
}
