/** Types the text of a block that a line has opened, up to the line that ends it. */

import type { Ending } from "../../../base/text/text-blocks.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Answer } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { refused } from "../exchange/errors.ts";
import type { Exchange, Input, OpenBlock } from "../exchange/exchange.ts";
import { endingSaid } from "./blocks.ts";

/** A block that the lines of the request do not end: the device still reads. */
export interface Unended {
  readonly line: string;
  /** What the device waits for. */
  readonly needs: string;
  readonly said: string;
}

export interface Filled {
  readonly answer: Answer;
  /** Number of lines typed. */
  readonly used: number;
  readonly unended?: Unended;
}

/** How the device ends a block: as the platform declares, else as the device has announced. */
export function endOf(block: OpenBlock, declared: Ending | undefined): Ending | undefined {
  return declared ?? (block.prompts ? undefined : endingSaid(block.said));
}

/**
 * @param opened the answer to the line, which ended with `open`
 * @param rest the lines after it
 * @param exchangeAt the exchange for a text, by the number of lines typed with it
 */
export async function fillBlock(
  talk: Conversation,
  opened: { readonly line: string; readonly answer: Answer; readonly ending: Ending | undefined },
  rest: readonly string[],
  exchangeAt: (used: number) => Omit<Exchange, "input">,
  ctx: Context,
): Promise<Filled & { readonly texts: readonly string[] }> {
  const texts: string[] = [];
  let { answer } = opened;
  let used = 0;
  while (answer.ended === "open") {
    const { block } = answer;
    const ending = endOf(block, opened.ending);
    const last = ending === undefined ? used : rest.findIndex((text, at) => at >= used && ending.test(text));
    if (last < 0 || last >= rest.length)
      return { answer, used, texts, unended: unendedBy(opened.line, block, ending) };
    const lines = rest.slice(used, last + 1);
    used = last + 1;
    const opens = opensNext(block, ending);
    answer = await talk.say(
      {
        ...exchangeAt(used),
        verifyEcho: false,
        opens,
        input: textInput(lines, block, talk.platform.newline),
      },
      ctx,
    );
    texts.push(answer.text);
  }
  return { answer, used, texts };
}

/** What may follow a text: without a known end, the device still reads. */
export function opensNext(block: OpenBlock, ending: Ending | undefined): "perhaps" | "surely" | "again" {
  return ending !== undefined ? "again" : block.prompts ? "perhaps" : "surely";
}

export function unendedBy(line: string, block: OpenBlock, ending: Ending | undefined): Unended {
  const needs = ending?.named ?? (block.prompts ? "the rest of the line" : "the end of the text");
  return { line, needs, said: block.said };
}

/** A control key that ends a text acts at once: a line end after it would be the next command. */
export function textInput(lines: readonly string[], block: OpenBlock, newline: string): Input {
  const text = lines.join(newline);
  return /^[\x00-\x1f]$/.test(lines.at(-1) ?? "")
    ? { kind: "key", text }
    : { kind: "line", text, ...(block.prompts ? { continues: true } : {}) };
}

/** Before anything is sent. */
export function neverEnds(line: string, { named }: Ending): Error {
  return refused(
    `The line ${JSON.stringify(line.trim())} opens a block of text that ends with ${named}, and no later line does that: add it. Nothing was sent.`,
    line,
    "",
    { outcome: "none" },
  );
}

export function unendedMessage({ line, needs, said }: Unended): string {
  const shown = said === "" ? "" : ` (it shows ${JSON.stringify(said)})`;
  return `The line ${JSON.stringify(line.trim())} opened a block that no later line ends: the device waits for ${needs}${shown}`;
}
