/** Types of one exchange: the input, what may end the answer, and the events of reading it. */
import type { TextPattern } from "../../../base/regex/linear.ts";
import type { Secret } from "../../../base/secrets/secret.ts";
import type { Found, Prompt } from "../prompt/prompt.ts";

/** A question of the device and its reply. Without a reply, reading ends at the question. */
export interface Rule {
  readonly ask: RegExp;
  readonly reply?: string | Secret;
  readonly newline?: false;
  /**
   * If the device repeats the question after this many replies, reading ends: the reply was wrong. Default: a limit for
   * stuck devices.
   */
  readonly most?: number;
  /** Matches only an unfinished line: a banner may contain the same words. */
  readonly unended?: true;
}

/** The text to type. At a prompt, a line is typed with the keys that make it text; see `Editor`. */
export type Input =
  | {
      readonly kind: "line";
      readonly text: string;
      readonly asksHelp?: boolean;
      /** Typed at a secondary prompt, which has the same line editor as the prompt. */
      readonly continues?: boolean;
    }
  /** A line that is never shown. */
  | { readonly kind: "secret"; readonly text: string }
  /** Several lines in one write; each one gets its own prompt. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  /** Typed without a line end. */
  | { readonly kind: "key"; readonly text: string }
  /** A login: the device sends first. A line that stays unrecognized gets a RETURN. */
  | { readonly kind: "nothing" };

/** The end of the answer. A question without a reply always ends it. */
export type Until =
  | { readonly kind: "prompt" }
  | { readonly kind: "pattern"; readonly pattern: TextPattern; readonly orPrompt: boolean }
  | { readonly kind: "silence"; readonly ms: number }
  /** Several lines were typed; the device repeats the current prompt after each one. */
  | { readonly kind: "prompts" };

export interface ExchangeLimits {
  /** Limit for the whole exchange. */
  readonly totalMs?: number;
  /** Limit without a single byte received. */
  readonly quietMs?: number;
  /** Multiplies the waits of this exchange if it is larger than the session's own factor. */
  readonly delayFactor?: number;
}

export interface Exchange extends ExchangeLimits {
  readonly input: Input;
  /** Default: the prompt. */
  readonly until?: Until;
  readonly rules?: readonly Rule[];
  /** Levels whose prompts are expected even if they differ from the last prompt; default: the last prompt's level. */
  readonly levels?: readonly string[];
  /** False: accepts the prompt even if the echo was not seen. */
  readonly verifyEcho?: boolean;
  /** The prompt is not known yet, or no longer: any prompt of the platform ends the answer. */
  readonly learnsPrompt?: true;
  /** Lines sent before take effect now, among them a new name of the device. */
  readonly commits?: true;
  /** Changes nothing on the device: a failure here does not make the outcome of the job's lines uncertain. */
  readonly prepares?: boolean;
  /** The device's response to a wrong password, matched after one was typed. */
  readonly refusal?: RegExp;
  /** The device's message when it accepts no logins. */
  readonly barred?: RegExp;
  /**
   * The line may open a block of text, or be unfinished: then the answer ends where the device begins to read. `surely`:
   * the platform declares that it does. `again`: text was typed up to its end, and the device may ask for another one.
   */
  readonly opens?: "perhaps" | "surely" | "again";
  /** Receives the text so far if the exchange is cut short. */
  readonly cut?: (text: string) => void;
}

/** What the device showed when it began to read a text, or the rest of a line. */
export interface OpenBlock {
  readonly said: string;
  /** The device shows a prompt for each of its lines. */
  readonly prompts: boolean;
}

/** An event of the reading: the first five end it, the exchange handles the others. */
export type Event =
  | { readonly kind: "prompt"; readonly found: Found }
  | { readonly kind: "expected" | "silence" | "refused" }
  | { readonly kind: "question"; readonly rule: Rule; readonly again: boolean }
  | { readonly kind: "open"; readonly block: OpenBlock }
  | { readonly kind: "reply"; readonly rule: Rule }
  /** Type a blank line: only a prompt answers it with itself. */
  | { readonly kind: "probe"; readonly found: Found }
  | { readonly kind: "pager" | "overrun" | "wake" };

/** The text that identifies an input in echoes and errors. */
export function inputText(input: Input, newline: string): string {
  switch (input.kind) {
    case "lines":
      return input.lines.join(newline);
    case "nothing":
      return "";
    default:
      return input.text;
  }
}

/** What an exchange waits for, worded for an error message. */
export function waitedFor({ input, until }: Exchange, currentPrompt: Prompt | undefined): string {
  if (until?.kind === "pattern") return `'${until.pattern.source}'`;
  return currentPrompt === undefined || input.kind === "nothing" ? "a prompt" : `'${currentPrompt.text}'`;
}
