/** Sends configuration lines, one per round trip or several in one write, and stops at the first refusal. */
import type { TextPattern } from "../../../base/regex/linear.ts";
import { endingOf } from "../../../base/text/text-blocks.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import { type Answer, answerBody } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import type { ExchangeLimits, Rule } from "../exchange/exchange.ts";
import { createPipeline, lastLine, mayLeave, type Pipeline } from "../exchange/pipeline.ts";
import { type LineAnswer, matchAnswers, readings } from "../exchange/pipeline-answers.ts";
import { anyQuestions } from "../exchange/questions.ts";
import { matchedLine } from "../exchange/refusals.ts";
import { pathBetween, questionRules } from "../prompt/privilege.ts";
import { fillBlock, type Unended } from "./block-text.ts";
import { blockLength } from "./blocks.ts";

export interface PushOptions {
  readonly errors: readonly TextPattern[];
  /** Allows sending lines before earlier ones are answered. */
  readonly pipeline: boolean;
  readonly verifyEcho: boolean;
  /** Limits for one line. */
  readonly limits: ExchangeLimits;
  /** Receives the text for the transcript. */
  readonly said: (text: string) => void;
  /** Called when the device has accepted all lines up to this one. */
  readonly confirmed: (line: string) => void;
  /** Configuration level; lines that leave it end the push. */
  readonly within: string | undefined;
}

/**
 * Why a push stopped: the device refused a line, or read another one than was typed; a line left the configuration, or
 * opened a block without an end.
 */
export type Stop = Refused | Left | Open | Altered;

export interface Refused {
  readonly kind: "refused";
  readonly line: string;
  readonly output: string;
  /** The device's line that shows the refusal. */
  readonly matched: string;
  readonly sent: readonly string[];
  /** Later lines that were already sent, with the result of each. */
  readonly ahead?: readonly SentAhead[];
  /** One of several lines sent together was refused; which one is unknown. */
  readonly doubtful?: true;
  /** The output is mixed with the echoes of lines sent together with it: it may be a refusal. */
  readonly mixed?: true;
}

export interface SentAhead {
  readonly line: string;
  /** Absent if its answer is unknown. */
  readonly taken?: boolean;
  readonly output?: string;
}

interface Left {
  readonly kind: "left";
  readonly line: string;
  readonly output: string;
  readonly prompt: string;
  readonly sent: readonly string[];
  readonly unsent: readonly string[];
}

interface Open extends Unended {
  readonly kind: "open";
  readonly output: string;
  readonly sent: readonly string[];
  readonly unsent: readonly string[];
}

interface Altered {
  readonly kind: "altered";
  readonly line: string;
  /** The line as the device shows it. */
  readonly shown: string;
  readonly output: string;
  readonly sent: readonly string[];
}

/** The result of one line, or of one write with several lines. */
interface Taken {
  readonly refused?: Refused | Open | Altered;
  readonly output: string;
  readonly next: number;
}

export async function pushLines(
  talk: Conversation,
  lines: readonly string[],
  options: PushOptions,
  ctx: Context,
): Promise<Stop | undefined> {
  const { plugin } = talk.platform;
  const ahead = options.pipeline ? createPipeline(plugin) : undefined;
  const single = createSingle(talk, lines, options, ahead, ctx);

  for (let at = 0; at < lines.length; ) {
    // At a prompt an empty line does nothing and would cost a round trip.
    if (lines[at] === "") {
      at++;
      continue;
    }
    const window = ahead?.window(lines, at, talk.prompt());
    const { next, output, refused } =
      ahead !== undefined && window !== undefined && window.lines.length > 1
        ? await sendAhead(talk, lines, { at, ...window }, options, ahead, ctx)
        : await single(at);
    if (refused !== undefined) return refused;
    options.confirmed(lines[next - 1] ?? "");
    if (next < lines.length && hasLeft(talk, options.within)) {
      const unsent = lines.slice(next).filter((text) => text !== "");
      if (unsent.length > 0) {
        const prompt = talk.prompt()?.text ?? "";
        const line = lines[next - 1] ?? "";
        return { kind: "left", line, output, prompt, sent: lines.slice(0, next), unsent };
      }
    }
    at = next;
  }
  return undefined;
}

/** Sends one line, or one line with the block it opens. Work common to all lines is done once. */
function createSingle(
  talk: Conversation,
  lines: readonly string[],
  { errors, verifyEcho, limits, said }: PushOptions,
  ahead: Pipeline | undefined,
  ctx: Context,
): (at: number) => Promise<Taken> {
  const { plugin } = talk.platform;
  const inside = levelsInside(talk);
  const anywhere = Object.keys(plugin.levels);
  const rules: readonly Rule[] = [...questionRules(plugin.questions), ...anyQuestions];
  const asking: readonly Rule[] = rules.map(({ ask }) => ({ ask }));
  const toPrompt = { levels: anywhere, verifyEcho, ...limits, until: { kind: "prompt" } } as const;
  const rulesAt = (at: number) => ({ rules: isReply(lines[at]) ? asking : rules });

  return async (at) => {
    const line = lines[at] ?? "";
    const ending = endingOf(line, plugin.blocks);
    const opens = ending !== undefined && blockLength(lines, at, plugin.blocks) > 0 ? "surely" : "perhaps";
    const before = talk.prompt();
    const levels = mayLeave(plugin, line) ? anywhere : inside;
    let answer = await talk.say(
      { ...toPrompt, levels, ...rulesAt(at + 1), opens, input: { kind: "line", text: line } },
      ctx,
    );
    said(answer.text);
    const shown = answer.altered;
    let next = at + 1;
    for (;;) {
      if (answer.ended === "open") {
        const from = next;
        const exchangeAt = (used: number) => ({ ...toPrompt, ...rulesAt(from + used) });
        const filled = await fillBlock(talk, { line, answer, ending }, lines.slice(next), exchangeAt, ctx);
        for (const text of filled.texts) said(text);
        answer = filled.answer;
        next += filled.used;
        if (filled.unended === undefined) continue;
        const [sent, unsent] = [lines.slice(0, next), lines.slice(next).filter((text) => text !== "")];
        const output = answerBody(answer);
        return { next, output, refused: { kind: "open", ...filled.unended, output, sent, unsent } };
      }
      if (!asksYes(answer) || !isReply(lines[next])) break;
      const input = { kind: "line", text: lines[next] ?? "" } as const;
      answer = await talk.say({ ...toPrompt, ...rulesAt(next + 1), verifyEcho: false, input }, ctx);
      said(answer.text);
      next++;
    }
    if (next === at + 1) ahead?.answered(line, before, answer);
    const sent = () => lines.slice(0, next);
    const output = answerBody(answer);
    const refused =
      refusalOf(answer, line, sent(), errors) ??
      (shown === undefined ? undefined : { kind: "altered" as const, line, shown, output, sent: sent() });
    return { next, output, ...(refused && { refused }) };
  };
}

/** The level of the session and those inside the configuration: only some lines lead anywhere else. */
function levelsInside({ platform: { plugin }, prompt }: Conversation): readonly string[] {
  const { config, levels } = plugin;
  const outer = config ?? prompt()?.level;
  const isInside = (level: string) =>
    outer !== undefined && pathBetween(plugin, level, outer)?.every(({ kind }) => kind === "leave") === true;
  return Object.keys(levels).filter((level) => isInside(level) || level === prompt()?.level);
}

/** A line that answers the question of the previous one, supplied by the caller. */
function isReply(line: string | undefined): boolean {
  return line !== undefined && /^\s*(?:y|yes|n|no)$/i.test(line);
}

function asksYes(answer: Answer): boolean {
  return answer.ended === "question" && !/pass/i.test(answer.question.line);
}

/** Sends several lines in one write and matches each to its answer. */
async function sendAhead(
  talk: Conversation,
  lines: readonly string[],
  window: { readonly at: number; readonly lines: readonly string[]; readonly next: number },
  { errors, limits, said, confirmed }: PushOptions,
  ahead: Pipeline,
  ctx: Context,
): Promise<Taken> {
  const current = talk.prompt();
  const prompt = current === undefined ? "" : lastLine(current);
  const { totalMs } = limits;
  const answer = await talk.say(
    {
      input: { kind: "lines", lines: window.lines },
      until: { kind: "prompts" },
      rules: [...questionRules(talk.platform.plugin.questions), ...anyQuestions],
      ...limits,
      ...(totalMs === undefined ? {} : { totalMs: totalMs * window.lines.length }),
      cut(text) {
        const { answers } = matchAnswers(text, window.lines, prompt);
        const failed = answers.findIndex((answer) => refusalIn(answer, window.lines, errors) !== undefined);
        const last = failed < 0 ? answers.at(-1) : answers[failed - 1];
        if (last !== undefined) confirmed(last.line);
      },
    },
    ctx,
  );
  const { answers, counted, whole, transcript } = matchAnswers(answer.text, window.lines, prompt);
  said(transcript);
  const sent = lines.slice(0, window.at).concat(window.lines);
  const refused =
    refusedOf(answers, window.lines, sent, counted, errors) ??
    asked(answer, answers, window.lines, sent) ??
    unread(answers, window.lines, sent);
  if (refused === undefined && !(whole && answers.every(({ output }) => output === ""))) {
    // An unexpected answer means that the line may be of another kind, so pipelining stops.
    ahead.stop();
    if (!whole) ctx.warn(withEchoes(window.lines));
  }
  return { next: window.next, output: answers.at(-1)?.output ?? "", ...(refused && { refused }) };
}

function withEchoes(lines: readonly string[]): string {
  const [first = ""] = lines;
  return `the answers to ${lines.length} lines that were sent ahead, from ${JSON.stringify(first)} on, may hold pieces of their echoes: none shows a refusal, and what follows was sent line by line`;
}

function refusedOf(
  answers: readonly LineAnswer[],
  lines: readonly string[],
  sent: readonly string[],
  counted: boolean,
  errors: readonly TextPattern[],
): Refused | undefined {
  const words = answers.map((answer) => refusalIn(answer, lines, errors));
  const at = words.findIndex((matched) => matched !== undefined);
  const answer = answers[at];
  const matched = words[at];
  if (answer === undefined || matched === undefined) return undefined;
  const ahead = lines.slice(at + 1).map((line, index): SentAhead => {
    const lineAnswer = counted ? answers[at + 1 + index] : undefined;
    return lineAnswer === undefined
      ? { line }
      : { line, taken: words[at + 1 + index] === undefined, output: lineAnswer.output };
  });
  const { line, output } = answer;
  return {
    kind: "refused",
    ...{ line, output, matched, sent },
    ...(ahead.length > 0 ? { ahead } : {}),
    ...(counted ? {} : { doubtful: true }),
  };
}

/** An output in which a refusal could not be read. */
function unread(
  answers: readonly LineAnswer[],
  lines: readonly string[],
  sent: readonly string[],
): Refused | undefined {
  const at = answers.findIndex(({ mixed }) => mixed);
  const answer = answers[at];
  if (answer === undefined) return undefined;
  const { line, output, raw } = answer;
  const ahead = lines.slice(at + 1).map((line): SentAhead => ({ line }));
  return { kind: "refused", line, output, matched: raw.trim(), sent, ahead, mixed: true };
}

/** A question that no line of this kind asked before: the device may have read the lines behind it as the reply. */
function asked(
  answer: Answer,
  answers: readonly LineAnswer[],
  lines: readonly string[],
  sent: readonly string[],
): Refused | undefined {
  if (answer.ended !== "question") return undefined;
  const at = Math.min(answers.length, lines.length - 1);
  const ahead = lines.slice(at + 1).map((line): SentAhead => ({ line }));
  const question = answer.question.line.trim();
  return { kind: "refused", line: lines[at] ?? "", output: answer.text, matched: question, sent, ahead };
}

function refusalIn(
  answer: LineAnswer,
  lines: readonly string[],
  errors: readonly TextPattern[],
): string | undefined {
  for (const text of readings(answer, lines)) {
    for (const error of errors) {
      const match = error.exec(text);
      if (match !== null) return matchedLine(text, match);
    }
  }
  return undefined;
}

/** Whether a line left the configuration; the following lines would run in the wrong mode. */
function hasLeft(talk: Conversation, within: string | undefined): boolean {
  const at = talk.prompt()?.level;
  if (within === undefined || at === undefined || at === within) return false;
  const inside = pathBetween(talk.platform.plugin, at, within)?.every(({ kind }) => kind === "leave");
  return inside !== true;
}

function refusalOf(
  answer: Answer,
  line: string,
  sent: readonly string[],
  errors: readonly TextPattern[],
): Refused | undefined {
  const output = answerBody(answer);
  if (answer.ended === "question") {
    return { kind: "refused", line, output, matched: answer.question.line.trim(), sent };
  }
  for (const error of errors) {
    const match = error.exec(output);
    if (match === null) continue;
    return { kind: "refused", line, output, matched: matchedLine(output, match), sent };
  }
  return undefined;
}
