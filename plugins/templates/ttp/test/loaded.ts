/** Loads all parts of the engine, for tests that use them at once; parts.test.ts tests what is loaded when. */
import { interpreterPart } from "../macro/lazy.ts";
import { loadParts, parts } from "../parts.ts";

await loadParts([interpreterPart, ...Object.values(parts)]);
