/** What all patterns share: tables and caches that only depend on Unicode and on the nodes themselves. */
import { createCharSets } from "./charset.ts";
import { createCodeSets } from "./code-set.ts";
import { createEmitter } from "./emit.ts";
import { createPrefixFinder } from "./prefix.ts";

export const charSets = createCharSets();
export const codeSets = createCodeSets(charSets);
export const emitter = createEmitter(charSets);
export const prefixFinder = createPrefixFinder(charSets);
