/** Sets of first characters as bits: 128 for ASCII, one for all others, one for the end of the text. */
import type { Ranges } from "./charset.ts";

/** Class of a character that is not ASCII. */
export const OTHER = 128;
/** Class of the end of the text. */
export const END = 129;

export class FirstSet {
  constructor(
    readonly a: number,
    readonly b: number,
    readonly c: number,
    readonly d: number,
    /** Bit 0: characters beyond ASCII; bit 1: the end of the text. */
    readonly rest: number,
    /** Nothing is required: any class will do. */
    readonly open: boolean,
  ) {}

  has(code: number): boolean {
    if (this.open) return true;
    if (code >= OTHER) return (this.rest & (code === OTHER ? 1 : 2)) !== 0;
    const word = code < 64 ? (code < 32 ? this.a : this.b) : code < 96 ? this.c : this.d;
    return (word & (1 << (code & 31))) !== 0;
  }

  union(other: FirstSet, open: boolean): FirstSet {
    return new FirstSet(
      this.a | other.a,
      this.b | other.b,
      this.c | other.c,
      this.d | other.d,
      this.rest | other.rest,
      open,
    );
  }

  /** Whether they share an ASCII character. */
  meets(other: FirstSet): boolean {
    return ((this.a & other.a) | (this.b & other.b) | (this.c & other.c) | (this.d & other.d)) !== 0;
  }

  /** Whether all of it lies in the other. */
  within(other: FirstSet): boolean {
    return (
      ((this.a & ~other.a) | (this.b & ~other.b) | (this.c & ~other.c) | (this.d & ~other.d)) === 0 &&
      (this.rest & ~other.rest) === 0
    );
  }

  /** Characters beyond ASCII as well. */
  orBeyond(beyond: boolean): FirstSet {
    return beyond ? new FirstSet(this.a, this.b, this.c, this.d, this.rest | 1, this.open) : this;
  }

  opened(open: boolean): FirstSet {
    return open === this.open ? this : new FirstSet(this.a, this.b, this.c, this.d, this.rest, open);
  }
}

export const nothingFirst = new FirstSet(0, 0, 0, 0, 0, true);
export const endFirst = new FirstSet(0, 0, 0, 0, 2, false);
export const anythingFirst = new FirstSet(-1, -1, -1, -1, 3, true);

export function firstIn(ranges: Ranges, negated: boolean): FirstSet {
  const words = [0, 0, 0, 0];
  let beyond = false;
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    const to = ranges[i + 1] ?? 0;
    if (to > 127) beyond = true;
    for (let code = from; code <= to && code < 128; code++) {
      words[code >> 5] = (words[code >> 5] ?? 0) | (1 << (code & 31));
    }
  }
  const [a = 0, b = 0, c = 0, d = 0] = words;
  return negated ? new FirstSet(~a, ~b, ~c, ~d, 1, false) : new FirstSet(a, b, c, d, beyond ? 1 : 0, false);
}
