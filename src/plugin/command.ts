/** Command types: a plain command, or a dialogue with a command that asks questions. */

/** A command, or one step of a dialogue with a command that asks questions. */
export type Command = string | Dialogue;

export interface Dialogue {
  readonly send: string;
  /** Regular expression source; ends the read in place of the prompt. */
  readonly expect?: string;
  /** Sent once `expect` has matched. */
  readonly reply?: string;
  /** The reply is a secret: it is never logged or returned. */
  readonly hidden?: boolean;
}
