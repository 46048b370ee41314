/** Filters that choose by chance, or the same for the same seed as Ansible's do. */
import { itemsOf } from "../../python/iterate.ts";
import { chance, randomRange, seeded } from "../../python/random.ts";
import { isInt, toInt, truth, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";

function whole(value: Value, absent: bigint): bigint {
  if (!truth(value)) return absent;
  if (isInt(value)) return BigInt(value);
  throw filterError("random: start and step are integers");
}

function pick(value: Value, start: Value, step: Value, seed: Value, context: FilterContext): Value {
  const random = seed === null ? chance : seeded(seed);
  if (isInt(value)) return toInt(randomRange(random, whole(start, 0n), BigInt(value), whole(step, 1n)));
  if (truth(start) || truth(step)) throw filterError("random: start and step are for integers only");
  const items = itemsOf(value, context.meter);
  if (items.length === 0) return context.undefined("No random item, sequence was empty.");
  return items[Number(random.below(BigInt(items.length)))] ?? null;
}

function shuffled(value: Value, seed: Value, { meter }: FilterContext): Value {
  if (!truth(seed)) throw filterError("shuffle needs a seed: the same context always gives the same text");
  const items = [...itemsOf(value, meter)];
  const random = seeded(seed);
  for (let i = items.length - 1; i > 0; i--) {
    const j = Number(random.below(BigInt(i + 1)));
    [items[i], items[j]] = [items[j] ?? null, items[i] ?? null];
  }
  return items;
}

/** Takes the place of Jinja2's own `random`, which knows neither integers nor seeds. */
export const chanceFilters: FilterEntries = [
  define("random", "any", "start = none, step = none, seed = none", pick),
  define("shuffle", "defined", "seed = none", shuffled),
].flat();
