/** Feeds a command's standard input at the right time: a reply at a prompt, a text, the end of input. */
import type { ExecOptions } from "../../../plugin/kit/ssh.ts";
import type { ClientChannel } from "../ssh2.ts";
import type { Collector } from "./collect.ts";
import type { PreparedCommand } from "./shell-text.ts";

export interface ExecInput {
  /** Called before any output has arrived. */
  begin(): void;
  /** Called when a stream has more data; removes prompt and mark from it. */
  came(collector: Collector, stream: "stdout" | "stderr"): void;
  /** How often the prompt appeared; more than once means that the reply was rejected. */
  answers(): number;
}

/** Ends the input of a program on a terminal, at the start of a line. */
const endOfTransmission = "\x04";

export function createExecInput(
  channel: ClientChannel,
  options: ExecOptions & Pick<PreparedCommand, "steps" | "ready">,
): ExecInput {
  const { answer, ready, input, pty = false } = options;
  const steps = [...options.steps];
  let answers = 0;
  let inputSent = false;
  /** The shell behind the prompt has started, with or without a prompt: the reply is no longer needed. */
  let isBehind = answer === undefined;

  function give(): void {
    if (inputSent) return;
    inputSent = true;
    if (input !== undefined) channel.write(input);
    // With a terminal, the input stays open, since the command may ask questions.
    if (!pty) channel.end();
    else if (input !== undefined) channel.write(endOfTransmission);
  }

  /** Sends the next steps until one whose mark has not arrived. */
  function step(isThere: (mark: RegExp) => boolean): void {
    for (let next = steps[0]; next !== undefined; next = steps[0]) {
      if (next.mark !== undefined && !isThere(next.mark)) return;
      channel.write(next.text);
      steps.shift();
      isBehind ||= next.mark !== undefined;
    }
    if (ready === undefined ? isBehind || answers > 0 : isThere(ready)) give();
  }

  function reply(collector: Collector): boolean {
    // With echo off, a terminal prints the RETURN of the reply as an empty line.
    if (answer === undefined || !collector.cut(answer.prompt, answer.tail ?? pty)) return false;
    answers++;
    if (answers === 1) {
      channel.write(`${answer.reply.reveal()}\n`);
      if (ready === undefined && steps.length === 0) give();
    } else {
      // Each retry of a wrong password would count against the account.
      if (pty) channel.write(endOfTransmission);
      channel.end();
    }
    return true;
  }

  return {
    begin() {
      step(() => false);
    },
    came(collector, stream) {
      if (reply(collector)) return;
      if (inputSent) return;
      // Between a prompt and the mark is the rest of the dialogue.
      step((mark) => collector.cut(answers > 0 ? new RegExp(`[^]*?${mark.source}`) : mark, false));
      // The command runs without having asked, so its input must not receive the reply.
      if (ready === undefined && answer !== undefined && steps.length === 0 && stream === "stdout") give();
    },
    answers: () => answers,
  };
}
