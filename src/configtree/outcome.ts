/** What comes out: lines with their doubts, and what lines would do. */

/** What to look at before the lines are sent. */
export const doubtWords = ["ordered", "certificates", "sections", "gap", "stays", "files"] as const;
/**
 * `ordered`: lines whose order counts are added or removed, and added ones stand behind those that stay. `certificates`:
 * they differ, and no line restores them. `sections`: whole sections are removed. `gap`: a list whose order counts is
 * written anew, and for a moment it is not there. `stays`: a line that nothing removes is not wanted. `files`: a file is
 * not in the wanted text.
 */
export type Doubt = (typeof doubtWords)[number];

export interface Remediation {
  readonly lines: readonly string[];
  readonly doubts: readonly Doubt[];
}

/**
 * `adds`, `removes`, `replaces` (a setting gets another value), `enters` and `leaves` a section; `nothing`: it is so
 * already, or what it removes is not there, or the list has it under another number. `unclear`: what it removes is not there, so it turns off what the system does without a line, or does
 * nothing; foretold is the first.
 */
export type Effect = "adds" | "removes" | "replaces" | "enters" | "leaves" | "nothing" | "unclear";

/**
 * Why the system refuses a line: `missing`: what it needs is not there; `second`: there is another one with its name, which
 * has to go first; `absent`: what it removes is not there.
 */
export interface Refusal {
  readonly why: "missing" | "second" | "absent";
  /** The line that is missing, as far as it is known, or that stands in its way. */
  readonly of: string;
}

export interface Foretold {
  /** Number of the line, from 1; of a text the first of them. */
  readonly line: number;
  readonly effect: Effect;
  /** By the rules; the text is foretold as if it were taken. */
  readonly refusal?: Refusal;
  /** First lines of the sections that it stands in, outermost first. */
  readonly path: readonly string[];
  /** Of a command on entries of a menu: what it says of each, whatever it finds them by. */
  readonly meant?: readonly string[];
}

export interface Prediction {
  /** Written anew, in the order of the old text with what is new behind it. */
  readonly text: string;
  readonly lines: readonly Foretold[];
}
