/** What the parts of the matcher share while they run. */
import type { Subject } from "./subject.ts";

export interface Track {
  subject: Subject;
  steps: number;
  /** What to undo or to try next; each entry is four numbers: kind, a, b, c. */
  readonly stack: number[];
}

export const CHOICE = 0;
export const SLOT = 1;
export const REGISTER = 2;
export const GREEDY = 3;
export const LAZY = 4;
export const FAILED = 5;
export const ROUND = 6;

/** The position behind a code point. */
export const next = (position: number, unit: number): number => position + (unit > 0xffff ? 2 : 1);
