/** What a command gets on its standard input, and when: a reply at a prompt, a text, the end. */
import type { ExecOptions } from "../plugin/ssh.ts";
import type { Collector } from "./collect.ts";
import type { PreparedCommand } from "./environment.ts";
import type { ClientChannel } from "./ssh2.ts";

export interface ExecInput {
  /** Nothing has come yet. */
  begin(): void;
  /** More of a stream has come: prompt and mark are taken out of it. */
  came(collector: Collector, stream: "stdout" | "stderr"): void;
  /** How often the prompt was seen: more than once means that the reply was not taken. */
  answers(): number;
}

/** Ends the input of a program on a terminal, at the beginning of a line. */
const endOfTransmission = "\x04";

export function createExecInput(
  channel: ClientChannel,
  options: Omit<ExecOptions, "ready"> & Pick<PreparedCommand, "steps" | "ready">,
): ExecInput {
  const { answer, ready, input, pty = false } = options;
  const steps = [...options.steps];
  let answers = 0;
  let inputSent = false;
  /** The shell behind the prompt has spoken: whether it asked or not, nobody waits for the reply. */
  let isBehind = answer === undefined;

  function give(): void {
    if (inputSent) return;
    inputSent = true;
    if (input !== undefined) channel.write(input);
    // Whoever asked for a terminal may be asked something.
    if (!pty) channel.end();
    else if (input !== undefined) channel.write(endOfTransmission);
  }

  /** Sends what is next, unless its mark is still to come. */
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
    // With its echo off, a terminal shows the RETURN of the answer as an empty line.
    if (answer === undefined || !collector.cut(answer.prompt, pty)) return false;
    answers++;
    if (answers === 1) {
      channel.write(`${answer.reply.reveal()}\n`);
      if (ready === undefined && steps.length === 0) give();
    } else {
      // A wrong password asked for again would be counted against the account at each try.
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
      step((mark) => collector.cut(mark, false));
      // It runs without having asked: what it reads is not the reply.
      if (ready === undefined && answer !== undefined && steps.length === 0 && stream === "stdout") give();
    },
    answers: () => answers,
  };
}
