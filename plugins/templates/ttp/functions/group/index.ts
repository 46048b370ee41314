/** All group functions by name. */
import { parts } from "../../parts.ts";
import { type DataFunction, keep } from "../../run/runtime.ts";
import { changeFunctions } from "./changes.ts";
import { checkFunctions } from "./checks.ts";

const validation =
  (name: string): DataFunction =>
  (data, args, kwargs, rt) =>
    parts.cerberus.use.groupValidation.get(name)?.(data, args, kwargs, rt) ?? keep(data);

export const groupFunctions: ReadonlyMap<string, DataFunction> = new Map([
  ...checkFunctions,
  ...changeFunctions,
  ...["cerberus", "validate"].map((name): [string, DataFunction] => [name, validation(name)]),
]);

/** All attributes that are valid in a group tag. */
export const groupAttributeNames: readonly string[] = [
  ...["name", "method", "input", "output", "default", "chain", "functions"],
  ...groupFunctions.keys(),
];
