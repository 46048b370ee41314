/** What a simulated device does with a line. */
import type { ThinkingKind } from "./terminal/thinking.ts";

/** The device's reaction to a line: its output, and what it waits for next. */
export interface Reaction {
  readonly output: string;
  /** The kind of work that determines the processing time; default: a command. */
  readonly about?: ThinkingKind;
  /** Replaces the prompt. The next input goes to `answered`; it is not echoed if it is a password. */
  readonly asks?: Question;
  readonly closes?: true;
}

export interface Question {
  readonly text: string;
  readonly hidden: boolean;
  /** A single key answers it, without a line end. */
  readonly key?: boolean;
  answered(reply: string): Reaction;
}
