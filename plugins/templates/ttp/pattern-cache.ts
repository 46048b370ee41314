/** Compiled patterns by their text: functions of a template compile theirs once, not for each match. */
import { compilePython, type PythonPattern } from "../python/regex/index.ts";

/** Patterns may be built from values, so that there is no end of them. */
const KEPT = 1000;

export function createPatternCache(): (pattern: string) => PythonPattern {
  const kept = new Map<string, PythonPattern>();
  return (pattern) => {
    const known = kept.get(pattern);
    if (known !== undefined) return known;
    if (kept.size >= KEPT) kept.clear();
    const made = compilePython(pattern);
    kept.set(pattern, made);
    return made;
  };
}
