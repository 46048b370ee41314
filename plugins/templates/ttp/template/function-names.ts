/** All names that are valid after a `|` of a match variable. */

import { attributeNames, ipAttributeNames } from "../../python/index.ts";
import { matchFunctions } from "../functions/match/index.ts";
import { unknownName } from "./mistakes.ts";
import { patterns } from "./patterns.ts";

/** Valid names that are neither functions nor methods of a value. */
export const INDICATORS: readonly string[] = [
  ...["ignore", "_start_", "_end_", "_line_", "_exact_", "_exact_space_", "_headers_", "columns"],
  ...["chain", "set", "default", "joinmatches", "re"],
];
const OWN_NAMES: readonly string[] = [...matchFunctions.keys(), ...INDICATORS, ...patterns.keys()];
const OWN = new Set(OWN_NAMES);

/** A function of TTP, or a method or attribute of some value. */
export function isFunctionName(name: string): boolean {
  return OWN.has(name) || attributeNames.has(name) || ipAttributeNames.has(name);
}

export function unknownFunction(name: string): string {
  return unknownName("function", name, [...OWN_NAMES, ...attributeNames]);
}
