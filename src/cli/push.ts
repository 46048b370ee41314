/** Sends configuration lines, one round trip each or many in one write, and stops at the first that is refused. */
import type { TextPattern } from "../base/linear.ts";
import type { Context } from "../plugin/kit.ts";
import { type Answer, body } from "./answer.ts";
import { blockLength } from "./blocks.ts";
import type { Conversation } from "./conversation.ts";
import type { ExchangeLimits, Rule } from "./exchange.ts";
import { questionRules } from "./privilege.ts";
import { anyQuestions } from "./questions.ts";
import { matchedLine } from "./refusals.ts";

export interface PushOptions {
  readonly errors: readonly TextPattern[];
  readonly pipeline: boolean;
  readonly verifyEcho: boolean;
  /** Of one line, or of one write of many. */
  readonly limits: ExchangeLimits;
  readonly said: (answer: Answer) => void;
  /** The device has taken all lines up to this one. */
  readonly confirmed: (line: string) => void;
}

export interface Refusal {
  readonly line: string;
  readonly output: string;
  /** The device's own line that says so. */
  readonly matched: string;
  readonly sent: readonly string[];
}

/** Lines in one write: few enough that a refused one stops most of the rest. */
const pipelineLines = 32;

export async function pushLines(
  talk: Conversation,
  lines: readonly string[],
  options: PushOptions,
  ctx: Context,
): Promise<Refusal | undefined> {
  const { plugin } = talk.platform;
  const levels = Object.keys(plugin.levels);
  const { errors } = options;
  const rules: Rule[] = [...questionRules(plugin.questions), ...anyQuestions];

  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const block = blockLength(lines, at, plugin.blocks);
    const many = options.pipeline && block === 0 ? pipelined(lines, at, plugin.blocks) : 1;
    const count = block > 0 ? 1 : many;
    // At a prompt an empty line means nothing, and would cost a round trip.
    if (line === "") {
      at++;
      continue;
    }
    const sent = lines.slice(at, at + count);
    let answer = await talk.say(
      {
        input: count > 1 ? { kind: "lines", lines: sent } : { kind: "line", text: line },
        until: { kind: block > 0 ? "block" : "prompt" },
        rules,
        levels,
        verifyEcho: options.verifyEcho && count === 1,
        ...options.limits,
      },
      ctx,
    );
    options.said(answer);
    at += count;
    if (answer.ended === "silence") {
      answer = await talk.say(
        {
          input: { kind: "line", text: lines.slice(at, at + block).join(talk.platform.newline) },
          levels,
          verifyEcho: false,
          ...options.limits,
        },
        ctx,
      );
      options.said(answer);
      at += block;
    }
    const refusal = judge(answer, sent, lines.slice(0, at), errors);
    if (refusal !== undefined) return refusal;
    options.confirmed(lines[at - 1] ?? "");
  }
  return undefined;
}

/** The lines from `at` on that may go in one write: no empty ones, and none that opens a text. */
function pipelined(lines: readonly string[], at: number, blocks: Parameters<typeof blockLength>[2]): number {
  let count = 0;
  while (
    count < pipelineLines &&
    at + count < lines.length &&
    lines[at + count] !== "" &&
    blockLength(lines, at + count, blocks) === 0
  ) {
    count++;
  }
  return Math.max(1, count);
}

function judge(
  answer: Answer,
  sent: readonly string[],
  soFar: readonly string[],
  errors: readonly TextPattern[],
): Refusal | undefined {
  const output = body(answer);
  if (answer.ended === "question") {
    const line = sent.at(-1) ?? "";
    return { line, output, matched: answer.question.line.trim(), sent: soFar };
  }
  for (const error of errors) {
    const match = error.exec(output);
    if (match === null) continue;
    const matched = matchedLine(output, match);
    return { line: culprit(output.slice(0, match.index), sent), output, matched, sent: soFar };
  }
  return undefined;
}

/** Of many lines in one write: the last one that was echoed before the refusal. */
function culprit(before: string, sent: readonly string[]): string {
  let line = sent[0] ?? "";
  let from = 0;
  for (const one of sent) {
    const at = before.indexOf(one.trim(), from);
    if (at < 0) continue;
    line = one;
    from = at + one.trim().length;
  }
  return line;
}
