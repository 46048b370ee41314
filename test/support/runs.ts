/** How often a plain run tries what is made at random: a failure tells the seed of its own, not that of samples. */
import { isExhaustive } from "./sampled.ts";

/** A quarter, but no fewer than this: each run tries other values. */
const fewest = 40;

/** @param all with `bun run test --exhaustive` */
export const runs = (all: number): number =>
  isExhaustive() ? all : Math.min(all, Math.max(fewest, Math.ceil(all / 4)));
