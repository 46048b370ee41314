/**
 * What a plain run looks at of a long enumeration, such as a kill at each statement: some places of every kind. Other
 * ones each day; `bun run test --exhaustive` looks at all of them.
 */
import process from "node:process";

/** Set by `bun run test --exhaustive`. */
export const exhaustiveVariable = "TEST_EXHAUSTIVE";
/** Chooses the places; set by `bun run test`, to what `--seed=` says or to today. */
export const seedVariable = "TEST_SEED";

/** Days since 1970: with one more each day, a sample comes round to every place. */
export const seedOfToday = (now = Date.now()): number => Math.floor(now / 86_400_000);

export const isExhaustive = (): boolean => process.env[exhaustiveVariable] === "1";

/** The seed of this run. */
export const sampleSeed = (): number => Number(process.env[seedVariable] ?? seedOfToday());

/**
 * @param most about so many places, but at least one of each kind
 * @returns in the order of `all`
 */
export function sampled<T>(all: readonly T[], most: number, kindOf: (one: T) => string): readonly T[] {
  return isExhaustive() ? all : sampleOf(all, most, kindOf, sampleSeed());
}

/** Spread over each kind, and moved on by one place with each seed. */
export function sampleOf<T>(
  all: readonly T[],
  most: number,
  kindOf: (one: T) => string,
  seed: number,
): readonly T[] {
  const kinds = Map.groupBy(all.keys(), (at) => kindOf(all[at] as T));
  const shares = sharesOf(
    [...kinds.values()].map(({ length }) => length),
    most,
  );
  const chosen = new Set(
    [...kinds.values()].flatMap((places, kind) => {
      const step = Math.ceil(places.length / (shares[kind] ?? 1));
      return places.filter((_place, at) => at % step === seed % step);
    }),
  );
  return all.filter((_one, at) => chosen.has(at));
}

/** How many of each kind: one, then one more of each in turn while there are some, up to the most. */
function sharesOf(sizes: readonly number[], most: number): readonly number[] {
  const shares = sizes.map(() => 1);
  let left = most - sizes.length;
  for (let round = 2; left > 0; round++) {
    const larger = [...sizes.keys()].filter((kind) => (sizes[kind] ?? 0) >= round).slice(0, left);
    if (larger.length === 0) break;
    for (const kind of larger) shares[kind] = round;
    left -= larger.length;
  }
  return shares;
}
