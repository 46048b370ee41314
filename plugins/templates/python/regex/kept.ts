/** Cache of compiled patterns by text and flags, for patterns that templates build at run time. */
import { LRUCache } from "lru-cache";
import { compilePython, type PythonPattern } from "./pattern.ts";

const maxPatterns = 1000;
/** Total length of their source. */
const maxChars = 1_000_000;

const cache = new LRUCache<string, PythonPattern>({
  max: maxPatterns,
  maxSize: maxChars,
  sizeCalculation: (_, key) => key.length,
});

export function keptPattern(pattern: string, flags = 0): PythonPattern {
  const key = `${flags} ${pattern}`;
  let compiled = cache.get(key);
  if (compiled === undefined) {
    compiled = compilePython(pattern, { flags });
    cache.set(key, compiled);
  }
  return compiled;
}
