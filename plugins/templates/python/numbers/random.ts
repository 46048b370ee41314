/** Python's `random.Random(seed)`: the same seed gives the same sequence (Mersenne Twister, MT19937). */
import { createHash } from "node:crypto";
import { typeError, valueError } from "../errors.ts";
import { isInt, isText, PyFloat, textOf, typeName, type Value } from "../values/values.ts";

export interface Random {
  /** A random integer in [0, limit). */
  below(limit: bigint): bigint;
}

const SIZE = 624;
const MIDDLE = 397;
const WORD = 0xffffffffn;

/** Unseeded. */
export const chance: Random = {
  below: (limit) => BigInt(Math.floor(Math.random() * Number(limit))),
};

/** @throws TypeError if the seed is neither text nor a number */
export function seeded(seed: Value): Random {
  const next = twister(keyOf(seed));
  const bits = (count: number): bigint => {
    let value = 0n;
    for (let at = 0; at < count; at += 32) {
      const remainingBits = count - at;
      const word = remainingBits < 32 ? next() >>> (32 - remainingBits) : next();
      value |= BigInt(word) << BigInt(at);
    }
    return value;
  };
  return {
    below(limit) {
      const length = limit.toString(2).length;
      let value = bits(length);
      while (value >= limit) value = bits(length);
      return value;
    },
  };
}

/** `randrange(start, stop, step)`. */
export function randomRange(random: Random, start: bigint, stop: bigint, step: bigint): bigint {
  if (step === 0n) throw valueError("zero step for randrange()");
  const width = stop - start;
  const count = step > 0n ? (width + step - 1n) / step : (width + step + 1n) / step;
  if (count <= 0n) throw valueError(`empty range for randrange() (${start}, ${stop}, ${step})`);
  return start + step * random.below(count);
}

/** The seed as 32-bit words, lowest first. */
function keyOf(seed: Value): number[] {
  let number: bigint;
  if (isText(seed)) {
    const bytes = Buffer.from(textOf(seed), "utf8");
    const digest = createHash("sha512").update(bytes).digest();
    number = BigInt(`0x${Buffer.concat([bytes, digest]).toString("hex")}`);
  } else if (isInt(seed) || typeof seed === "boolean") number = BigInt(seed);
  else if (seed instanceof PyFloat) number = BigInt.asUintN(64, floatHash(seed.value));
  else throw typeError(`a seed is text or a number, not ${typeName(seed)}`);
  if (number < 0n) number = -number;
  const key: number[] = [];
  do {
    key.push(Number(number & WORD));
    number >>= 32n;
  } while (number > 0n);
  return key;
}

const PRIME = 2n ** 61n - 1n;

/** `hash(float)`: the fraction modulo a prime. */
function floatHash(value: number): bigint {
  if (!Number.isFinite(value)) return value > 0 ? 314159n : value < 0 ? -314159n : 0n;
  let size = Math.abs(value);
  let halvings = 0n;
  while (!Number.isInteger(size)) {
    size *= 2;
    halvings++;
  }
  // 2 ** 61 is 1 modulo the prime, so halving is a multiplication by 2 ** 60.
  const turns = (60n * halvings) % 61n;
  const hash = (BigInt(size) * 2n ** turns) % PRIME;
  return value < 0 ? (hash === 1n ? -2n : -hash) : hash;
}

function twister(key: readonly number[]): () => number {
  const state = new Uint32Array(SIZE);
  state[0] = 19_650_218;
  for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1_812_433_253, mixed(state, i)) + i;
  let i = 1;
  const turn = (work: (at: number) => void) => {
    work(i);
    if (++i < SIZE) return;
    state[0] = state[SIZE - 1] ?? 0;
    i = 1;
  };
  for (let k = 0; k < Math.max(SIZE, key.length); k++) {
    const at = k % key.length;
    turn((place) => {
      state[place] = ((state[place] ?? 0) ^ Math.imul(mixed(state, place), 1_664_525)) + (key[at] ?? 0) + at;
    });
  }
  for (let k = 1; k < SIZE; k++)
    turn((place) => {
      state[place] = ((state[place] ?? 0) ^ Math.imul(mixed(state, place), 1_566_083_941)) - place;
    });
  state[0] = 0x80000000;

  let at = SIZE;
  return () => {
    if (at === SIZE) {
      twist(state);
      at = 0;
    }
    let word = state[at++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}

function mixed(state: Uint32Array, at: number): number {
  const before = state[at - 1] ?? 0;
  return before ^ (before >>> 30);
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const word = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % SIZE] ?? 0) & 0x7fffffff);
    state[i] = (state[(i + MIDDLE) % SIZE] ?? 0) ^ (word >>> 1) ^ (word & 1 ? 0x9908b0df : 0);
  }
}
