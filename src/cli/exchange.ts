/** What is typed to the device, what may end its answer, and what a reading of that answer can come upon. */
import type { TextPattern } from "../base/linear.ts";
import type { Secret } from "../base/secret.ts";
import type { Found, Prompt } from "./prompt.ts";

/** A question the device may ask, and what is typed then. Without a reply the reading ends there. */
export interface Rule {
  readonly ask: RegExp;
  readonly reply?: string | Secret;
  readonly newline?: false;
  /** Asked anew after so many replies, the reading ends: the reply was wrong. Default: where a device is stuck. */
  readonly most?: number;
  /** Counts on a line that has not ended only: a greeting may hold the same words. */
  readonly unended?: true;
}

/** What is typed. */
export type Input =
  | { readonly kind: "line"; readonly text: string }
  /** A line that is never shown. */
  | { readonly kind: "secret"; readonly text: string }
  /** Several lines in one write, each with a prompt of its own. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  /** Typed without a line end. */
  | { readonly kind: "key"; readonly text: string }
  /** A login: the device speaks first. A line that stays unknown is woken by a RETURN. */
  | { readonly kind: "nothing" };

/** What ends the answer; a question without a reply does in any case. */
export type Until =
  | { readonly kind: "prompt" }
  | { readonly kind: "pattern"; readonly pattern: TextPattern; readonly orPrompt: boolean }
  | { readonly kind: "silence"; readonly ms: number }
  /** The line opens a block of text: the device shows no prompt until the block has ended. */
  | { readonly kind: "block" }
  /** Many lines were typed: each shows the prompt at which they were typed again. */
  | { readonly kind: "prompts" };

export interface ExchangeLimits {
  /** All of it. */
  readonly totalMs?: number;
  /** Without a single byte. */
  readonly quietMs?: number;
  /** Stretches the waits of this one, where it is more than the session's own. */
  readonly delayFactor?: number;
}

export interface Exchange extends ExchangeLimits {
  readonly input: Input;
  /** Default: the prompt. */
  readonly until?: Until;
  readonly rules?: readonly Rule[];
  /** Levels whose prompt is no surprise even where it differs from the last one; default: the level of that. */
  readonly levels?: readonly string[];
  /** False: the prompt counts though the echo was not seen. */
  readonly verifyEcho?: boolean;
  /** It changes nothing on the device: what fails at it leaves no doubt about the lines of the job. */
  readonly prepares?: boolean;
  /** What the device says to a wrong password, once one was typed. */
  readonly refusal?: RegExp;
  /** What the device says where it lets nobody in. */
  readonly barred?: RegExp;
  /** Gets what has come where the exchange breaks off. */
  readonly cut?: (text: string) => void;
}

/** What a reading comes upon: the first four end it, the others are answered. */
export type Event =
  | { readonly kind: "prompt"; readonly found: Found }
  | { readonly kind: "expected" | "silence" | "refused" }
  | { readonly kind: "question"; readonly rule: Rule; readonly again: boolean }
  | { readonly kind: "reply"; readonly rule: Rule }
  | { readonly kind: "pager" | "overrun" | "wake" };

/** The text by which an input is known in echoes and errors. */
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

/** What an exchange waits for, in the words of an error. */
export function waitedFor({ input, until }: Exchange, currentPrompt: Prompt | undefined): string {
  if (until?.kind === "pattern") return `'${until.pattern.source}'`;
  return currentPrompt === undefined || input.kind === "nothing" ? "a prompt" : `'${currentPrompt.text}'`;
}
