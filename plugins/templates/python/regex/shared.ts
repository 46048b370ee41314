/** What all patterns share: tables and caches whose answers depend on what is asked alone. */
import { createCharSets } from "./charset.ts";
import { createCodeSets } from "./code-set.ts";
import { createEmitter } from "./emit.ts";
import { createPrefixFinder } from "./prefix.ts";
import { createTextFacts } from "./text-facts.ts";

export const charSets = createCharSets();
export const codeSets = createCodeSets(charSets);
export const emitter = createEmitter(charSets);
export const prefixFinder = createPrefixFinder(charSets);
export const textFacts = createTextFacts();
