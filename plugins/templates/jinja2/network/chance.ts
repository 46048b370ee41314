/** Filters that choose by chance, or the same for the same seed as Ansible's do. */
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { chance, type Random, randomRange, seeded } from "../../python/random.ts";
import { isInt, toInt, truth, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter } from "../filters/define.ts";

const filterError = (message: string) => new PyError("AnsibleFilterError", message);

function randomOf(seed: Value | undefined): Random {
  return seed === undefined || seed === null ? chance : seeded(seed);
}

function whole(value: Value | undefined, absent: bigint): bigint {
  if (value === undefined || !truth(value)) return absent;
  if (isInt(value)) return BigInt(value);
  throw filterError("random: start and step are integers");
}

function pick(value: Value, given: readonly (Value | undefined)[], context: FilterContext): Value {
  const [start, step, seed] = given;
  const random = randomOf(seed);
  if (isInt(value)) return toInt(randomRange(random, whole(start, 0n), BigInt(value), whole(step, 1n)));
  if ((start !== undefined && truth(start)) || (step !== undefined && truth(step)))
    throw filterError("random: start and step are for integers only");
  const items = itemsOf(value, context.meter);
  if (items.length === 0) return context.undefined("No random item, sequence was empty.");
  return items[Number(random.below(BigInt(items.length)))] ?? null;
}

function shuffled(value: Value, seed: Value, { meter }: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
  const items = [...itemsOf(value, meter)];
  const random = seeded(seed);
  for (let i = items.length - 1; i > 0; i--) {
    const j = Number(random.below(BigInt(i + 1)));
    const item = items[i] ?? null;
    items[i] = items[j] ?? null;
    items[j] = item;
  }
  return items;
}

/** Takes the place of Jinja2's own, which knows neither integers nor seeds. */
export const randomFilter: Entry = filter("random", ["start?", "step?", "seed?"], pick);

export const chanceFilters: readonly Entry[] = [
  filter("shuffle", ["seed?"], (value, [seed = null], context) => {
    if (truth(seed)) return shuffled(value, seed, context);
    throw filterError("shuffle needs a seed: the same context always gives the same text");
  }),
];
