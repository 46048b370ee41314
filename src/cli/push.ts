/** Sends configuration lines, one round trip each or many in one write, and stops at the first that is refused. */
import type { TextPattern } from "../base/linear.ts";
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import { type Answer, answerBody } from "./answer.ts";
import { blockLength } from "./blocks.ts";
import type { Conversation } from "./conversation.ts";
import type { ExchangeLimits, Rule } from "./exchange.ts";
import { pathBetween, questionRules } from "./privilege.ts";
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
  /** The level of the configuration, where lines that leave it end the push. */
  readonly within: string | undefined;
}

/** Why a push stopped: at a line that the device did not take, or behind one that left the configuration. */
export type Stop = Refused | Left;

interface Refused {
  readonly kind: "refused";
  readonly line: string;
  readonly output: string;
  /** The device's own line that says so. */
  readonly matched: string;
  readonly sent: readonly string[];
}

interface Left {
  readonly kind: "left";
  readonly line: string;
  readonly output: string;
  readonly prompt: string;
  readonly sent: readonly string[];
  readonly unsent: readonly string[];
}

/** Lines in one write: few enough that a refused one stops most of the rest. */
const pipelineLines = 32;

export async function pushLines(
  talk: Conversation,
  lines: readonly string[],
  options: PushOptions,
  ctx: Context,
): Promise<Stop | undefined> {
  const { plugin } = talk.platform;
  const levels = Object.keys(plugin.levels);
  const { errors } = options;
  const rules: Rule[] = [...questionRules(plugin.questions), ...anyQuestions];

  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const block = blockLength(lines, at, plugin.blocks);
    const many = options.pipeline && block === 0 ? pipelined(lines, at, plugin) : 1;
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
    const refusal = refusalOf(answer, sent, lines.slice(0, at), errors);
    if (refusal !== undefined) return refusal;
    options.confirmed(lines[at - 1] ?? "");
    const unsent = lines.slice(at).filter((text) => text !== "");
    if (unsent.length > 0 && hasLeft(talk, options.within)) {
      const prompt = talk.prompt()?.text ?? "";
      return {
        kind: "left",
        line: sent.at(-1) ?? "",
        output: answerBody(answer),
        prompt,
        sent: lines.slice(0, at),
        unsent,
      };
    }
  }
  return undefined;
}

/** Whether lines led out of the configuration: what follows would be run where nobody meant it. */
function hasLeft(talk: Conversation, within: string | undefined): boolean {
  const at = talk.prompt()?.level;
  if (within === undefined || at === undefined || at === within) return false;
  const inside = pathBetween(talk.platform.plugin, at, within)?.every(({ kind }) => kind === "leave");
  return inside !== true;
}

/** Words by which some system leaves its configuration; the prompt behind them decides. */
const leaveWords = /^\s*(?:exit|end|quit|return|abort|top|up|back|logout|commit|root|main)\b/i;

/** The lines from `at` on that may go in one write: no empty ones, none that opens a text, none behind one that may leave. */
function pipelined(lines: readonly string[], at: number, plugin: PlatformPlugin): number {
  const leaves = new Set(Object.values(plugin.levels).map(({ leave }) => leave));
  let count = 0;
  while (count < pipelineLines && at + count < lines.length) {
    const line = lines[at + count] ?? "";
    if (line === "" || blockLength(lines, at + count, plugin.blocks) > 0) break;
    count++;
    if (leaves.has(line.trim()) || leaveWords.test(line)) break;
  }
  return Math.max(1, count);
}

function refusalOf(
  answer: Answer,
  sent: readonly string[],
  soFar: readonly string[],
  errors: readonly TextPattern[],
): Refused | undefined {
  const output = answerBody(answer);
  if (answer.ended === "question") {
    const line = sent.at(-1) ?? "";
    return { kind: "refused", line, output, matched: answer.question.line.trim(), sent: soFar };
  }
  for (const error of errors) {
    const match = error.exec(output);
    if (match === null) continue;
    const matched = matchedLine(output, match);
    return {
      kind: "refused",
      line: culprit(output.slice(0, match.index), sent),
      output,
      matched,
      sent: soFar,
    };
  }
  return undefined;
}

/** Of many lines in one write: the last one that was echoed before the refusal. */
function culprit(before: string, sent: readonly string[]): string {
  let line = sent[0] ?? "";
  let from = 0;
  for (const candidate of sent) {
    const at = before.indexOf(candidate.trim(), from);
    if (at < 0) continue;
    line = candidate;
    from = at + candidate.trim().length;
  }
  return line;
}
