/** Compiled patterns by text and flags, which is all that they depend on; patterns are built from values, too. */
import { LRUCache } from "lru-cache";
import { compilePython, type PythonPattern } from "./pattern.ts";

const mostPatterns = 1000;
/** Of their texts. */
const mostChars = 1_000_000;

const kept = new LRUCache<string, PythonPattern>({
  max: mostPatterns,
  maxSize: mostChars,
  sizeCalculation: (_, key) => key.length,
});

export function keptPattern(pattern: string, flags = 0): PythonPattern {
  const key = `${flags} ${pattern}`;
  let found = kept.get(key);
  if (found === undefined) {
    found = compilePython(pattern, { flags });
    kept.set(key, found);
  }
  return found;
}
