/** Every name that may stand behind a `|` of a match variable. */

import { ipAttributeNames } from "../python/ip/objects.ts";
import { attributeNames } from "../python/methods.ts";
import { matchFunctions } from "./match/index.ts";
import { unknownName } from "./mistakes.ts";
import { patterns } from "./patterns.ts";

/** What may stand behind a `|` and is no method of a value. */
export const INDICATORS: readonly string[] = [
  ...["ignore", "_start_", "_end_", "_line_", "_exact_", "_exact_space_", "_headers_", "columns"],
  ...["chain", "set", "default", "joinmatches", "re"],
];
const OWN_NAMES: readonly string[] = [...matchFunctions.keys(), ...INDICATORS, ...patterns.keys()];
const OWN = new Set(OWN_NAMES);

/** Any function of the language, or a method or attribute that some value has. */
export function isFunctionName(name: string): boolean {
  return OWN.has(name) || attributeNames.has(name) || ipAttributeNames.has(name);
}

export function unknownFunction(name: string): string {
  return unknownName("function", name, [...OWN_NAMES, ...attributeNames]);
}
