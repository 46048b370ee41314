/** What is sent to a device: a command, or a dialogue with a command that asks back. */

/** A command, or one step of a dialogue with a command that asks back. */
export type Command = string | Dialogue;

export interface Dialogue {
  readonly send: string;
  /** Regular expression (source) that ends the wait instead of the prompt. */
  readonly expect?: string;
  /** Sent when `expect` has been seen. */
  readonly reply?: string;
  /** The reply is a secret: it is never logged or returned. */
  readonly hidden?: boolean;
}
