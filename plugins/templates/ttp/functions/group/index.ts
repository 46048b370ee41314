/** All group functions by name. */
import { groupValidation } from "../../cerberus/functions.ts";
import type { DataFunction } from "../../run/runtime.ts";
import { changeFunctions } from "./changes.ts";
import { checkFunctions } from "./checks.ts";

export const groupFunctions: ReadonlyMap<string, DataFunction> = new Map([
  ...checkFunctions,
  ...changeFunctions,
  ...groupValidation,
]);

/** All attributes that are valid in a group tag. */
export const groupAttributeNames: readonly string[] = [
  ...["name", "method", "input", "output", "default", "chain", "functions"],
  ...groupFunctions.keys(),
];
