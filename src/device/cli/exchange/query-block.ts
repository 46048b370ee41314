/** A block that a command of a query has opened: the commands after it are its text. */

import { type Ending, endingOf } from "../../../base/text/text-blocks.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import { endOf, opensNext, textInput, unendedBy, unendedMessage } from "../push/block-text.ts";
import { type Answer, answerBody } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { refused } from "./errors.ts";
import type { Exchange, OpenBlock } from "./exchange.ts";

export interface QueryBlock {
  isOpen(): boolean;
  /**
   * To be called with the answer to each command that may open a block.
   * @param following the commands after it
   * @throws ServiceError CommandError if none of them ends the block; the device is led back to its prompt
   */
  answered(line: string, answer: Answer, following: () => readonly string[], ctx: Context): Promise<void>;
  /** Types a command as text of the open block; undefined if it waits for the line that ends the block. */
  take(
    text: string,
    exchange: Omit<Exchange, "input">,
    following: () => readonly string[],
    ctx: Context,
  ): Promise<Answer | undefined>;
}

interface Open {
  readonly line: string;
  readonly block: OpenBlock;
  readonly ending: Ending | undefined;
  /** Text that is typed in one write with the line that ends it. */
  readonly waiting: string[];
}

export function createQueryBlock(talk: Conversation): QueryBlock {
  let open: Open | undefined;

  async function answered(
    line: string,
    answer: Answer,
    following: () => readonly string[],
    ctx: Context,
  ): Promise<void> {
    const opener = open?.line ?? line;
    open = undefined;
    if (answer.ended !== "open") return;
    const { block } = answer;
    const ending = endOf(block, endingOf(opener, talk.platform.plugin.blocks));
    const rest = following();
    if (ending === undefined ? rest.length > 0 : rest.some((text) => ending.test(text))) {
      open = { line: opener, block, ending, waiting: [] };
      return;
    }
    const { sent } = talk.errorContext(ctx);
    const message = `${unendedMessage(unendedBy(opener, block, ending))}.`;
    await talk.interrupt(ctx).catch((error: unknown) => {
      ctx.log.warn("block.not_left", { platform: talk.platform.plugin.name, reason: String(error) });
    });
    throw refused(message, opener, answerBody(answer), { sent: [...sent] });
  }

  return {
    isOpen: () => open !== undefined,
    answered,
    async take(text, exchange, following, ctx) {
      if (open === undefined) return undefined;
      const { line, block, ending, waiting } = open;
      waiting.push(text);
      if (ending !== undefined && !ending.test(text)) return undefined;
      const opens = opensNext(block, ending);
      const input = textInput(waiting, block, talk.platform.newline);
      const answer = await talk.say({ ...exchange, verifyEcho: false, opens, input }, ctx);
      await answered(line, answer, following, ctx);
      return answer;
    },
  };
}
