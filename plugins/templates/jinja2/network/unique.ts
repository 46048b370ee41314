/** Ansible's `unique`: a list, also of items that have no hash, such as dictionaries. */
import { PySet } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Value } from "../../python/values.ts";
import { isHashable } from "../access.ts";
import { type Entry, filter, flag } from "../filters/define.ts";
import { createGetter, ignoreCase } from "../filters/getter.ts";

export const ansibleUnique: Entry = filter(
  "unique",
  ["case_sensitive?", "attribute?"],
  (value, [caseSensitive, by = null], context) => {
    const { meter } = context;
    const key = createGetter(by, context, flag(caseSensitive) ? {} : { change: ignoreCase });
    const items = itemsOf(value, meter);
    const keys = items.map(key);
    if (!keys.every(isHashable)) {
      if (caseSensitive === false || by !== null)
        throw new PyError(
          "AnsibleFilterError",
          "unique: items without a hash have neither case nor attribute here",
        );
      return firstOfEach(items, meter.step.bind(meter));
    }
    const seen = new PySet();
    return items.filter((_, i) => {
      const its = keys[i] ?? null;
      if (seen.has(its)) return false;
      seen.add(its);
      return true;
    });
  },
);

/** By comparing: each with all before it. */
function firstOfEach(items: readonly Value[], step: (count: number) => void): Value[] {
  const kept: Value[] = [];
  for (const item of items) {
    step(kept.length + 1);
    if (!kept.some((other) => eq(other, item))) kept.push(item);
  }
  return kept;
}
