/** State that the parts of the backtracking matcher share during a match. */
import type { Subject } from "./subject.ts";

export interface Track {
  subject: Subject;
  steps: number;
  /** The backtracking stack; each entry is four numbers: kind, a, b, c. */
  readonly stack: number[];
}

export const CHOICE = 0;
export const SLOT = 1;
export const REGISTER = 2;
export const GREEDY = 3;
export const LAZY = 4;
export const FAILED = 5;
export const ROUND = 6;

/** The position after a code point. */
export const next = (position: number, unit: number): number => position + (unit > 0xffff ? 2 : 1);
