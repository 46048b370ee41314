/** FIRST sets as bits: 128 for ASCII, one for all other characters, one for the end of text. */
import type { Ranges } from "../parse/charset.ts";

/** Class of a non-ASCII character. */
export const OTHER = 128;
/** Class of the end of text. */
export const END = 129;

const bits = Array.from({ length: END + 1 }, (_, code) => 1n << BigInt(code));
const bit = (code: number): bigint => bits[code] ?? 0n;
const ascii = bit(OTHER) - 1n;
const everyBit = 2n * bit(END) - 1n;

export class FirstSet {
  constructor(
    private readonly bits: bigint,
    /** The node may match the empty string: any class may follow. */
    readonly open: boolean,
  ) {}

  has(code: number): boolean {
    return this.open || (this.bits & bit(code)) !== 0n;
  }

  union(other: FirstSet, open: boolean): FirstSet {
    return new FirstSet(this.bits | other.bits, open);
  }

  /** Whether the sets share an ASCII character. */
  meets(other: FirstSet): boolean {
    return (this.bits & other.bits & ascii) !== 0n;
  }

  /** Whether this is a subset of the other. */
  within(other: FirstSet): boolean {
    return (this.bits & ~other.bits) === 0n;
  }

  /** Adds non-ASCII characters. */
  orBeyond(beyond: boolean): FirstSet {
    return beyond ? new FirstSet(this.bits | bit(OTHER), this.open) : this;
  }

  opened(open: boolean): FirstSet {
    return open === this.open ? this : new FirstSet(this.bits, open);
  }
}

export const nothingFirst = new FirstSet(0n, true);
export const endFirst = new FirstSet(bit(END), false);
export const anythingFirst = new FirstSet(everyBit, true);

export function firstIn(ranges: Ranges, negated: boolean): FirstSet {
  let set = 0n;
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    const to = ranges[i + 1] ?? 0;
    if (to >= OTHER) set |= bit(OTHER);
    if (from < OTHER) set |= bit(Math.min(to + 1, OTHER)) - bit(from);
  }
  return new FirstSet(negated ? (~set & ascii) | bit(OTHER) : set, false);
}
