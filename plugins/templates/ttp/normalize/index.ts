/** Counterparts of the Python modules that built-in templates import. */
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";

export function normalizeModule(_name: string, _meter: Meter): Value | undefined {
  return undefined;
}
