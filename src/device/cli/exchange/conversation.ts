/** One exchange with the device: types the input, answers questions and the pager, ends at the prompt. */
import { Secret } from "../../../base/secrets/secret.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import { type CompiledPlatform, pressFor } from "../platform.ts";
import {
  createPromptDetector,
  type DetectorOptions,
  type PromptDetector,
  unsure,
} from "../prompt/detector.ts";
import type { Echoing } from "../prompt/echo-watch.ts";
import { withLearnedPrompt } from "../prompt/learned-prompt.ts";
import { type Found, type Prompt, promptLines, sameButNumbers } from "../prompt/prompt.ts";
import { isOverrun } from "../prompt/prompt-probe.ts";
import { guardMs, silenceMs, toleratedGapMs } from "../prompt/prompt-timing.ts";
import { alteredEcho } from "../text/altered-echo.ts";
import { repeatedEcho, withoutPrompt } from "../text/echo.ts";
import {
  type Answer,
  type AnswerText,
  earlyText,
  hiddenName,
  type TypedSecret,
  withoutSecret,
} from "./answer.ts";
import type { Channel, Decision, View } from "./channel.ts";
import { type ErrorContext, outputTooLarge, readTimeout, untypable, withOutcome } from "./errors.ts";
import { type Event, type Exchange, type Input, inputText, type Rule, waitedFor } from "./exchange.ts";
import { lastLine } from "./pipeline.ts";
import { answerCount, promptCount } from "./pipeline-answers.ts";

export interface Conversation {
  say(exchange: Exchange, ctx: Context): Promise<Answer>;
  /** Reports to the main thread which lines may be sent from now on, and waits until they are on disk. */
  announce(lines: readonly string[], ctx: Context): Promise<void>;
  /**
   * A line that cannot be typed must stop the job before an earlier one is sent.
   * @throws ServiceError CommandError that names the character
   */
  requireTypable(line: string, as: "line" | "query" | "text", ctx: Context): void;
  /** Sends Ctrl-C and reads up to a prompt, whatever the state of the session. */
  interrupt(ctx: Context): Promise<void>;
  /** The last prompt seen. */
  prompt(): Prompt | undefined;
  /** Whether the device is at that prompt now. */
  atPrompt(): boolean;
  errorContext(ctx: Context, command?: string): ErrorContext;
  readonly channel: Channel;
  /** Includes the prompts learned in this session. */
  readonly platform: CompiledPlatform;
}

export interface ConversationOptions {
  readonly channel: Channel;
  readonly platform: CompiledPlatform;
  readonly delayFactor: number;
  /** The device has not answered if it sends nothing for this long. */
  readonly quietMs: number;
  readonly username: string;
  readonly secrets: readonly (Secret | undefined)[];
  readonly sent?: (text: string) => void;
}

const commandBytes = 8 * 1024 * 1024;
const interruptMs = 2000;
const jobBytes = 32 * 1024 * 1024;
/** A password may be checked by a remote server, and by the next one if the first does not answer. */
const judgedTimes = 3;

/** State of one job, keyed by its context. */
interface Job {
  bytes: number;
  readonly announced: Set<string>;
  /** Something that may have changed the device was typed since the lines were announced. */
  acted: boolean;
  /** The announced lines that were typed. */
  readonly typed: string[];
}

/** State of one exchange. */
interface Progress {
  readonly detector: PromptDetector;
  readonly currentPrompt: Prompt | undefined;
  /** Text received before it started. */
  readonly late: string;
  readonly secrets: TypedSecret[];
  /** The line to compare with its echo. */
  readonly compared: string | undefined;
  overrunAt: number | undefined;
  /** Nothing was typed that changes a prompt. */
  readonly unchanging: boolean;
  readonly typed: string;
  /** The line may be echoed twice. */
  readonly twice: boolean;
}

const numbersOf = ({ text }: Prompt) => text.match(/\d+/g) ?? [];

const isAnother = (prompt: Prompt, before: Prompt) =>
  prompt.text !== before.text && prompt.level === before.level && sameButNumbers(prompt, before);

export function createConversation(options: ConversationOptions): Conversation {
  const { channel, delayFactor } = options;
  const jobs = new WeakMap<Context, Job>();
  const hidden: Secret[] = [];
  let { platform } = options;
  let current: Prompt | undefined;
  let standing = false;
  /** The device kept a refused line behind the prompt; it must be erased before the next line is typed. */
  let keepsLine = false;
  /** The prompt changed with no command that could have changed it: it holds a counter or a clock. */
  let varies = false;
  /** How often only its numbers changed. */
  let variations = 0;
  let echoState: Echoing["state"] = "unknown";
  /** The lines typed last. */
  let before: readonly string[] = [];
  /** After Ctrl-C, a shell's prompt may come before its line editor: the terminal then echoes the next line too. */
  let echoesTwice = false;

  function jobOf(ctx: Context): Job {
    const job = jobs.get(ctx) ?? { bytes: 0, announced: new Set<string>(), typed: [], acted: false };
    jobs.set(ctx, job);
    return job;
  }

  function errorContext(ctx: Context, command?: string): ErrorContext {
    const secrets = [...options.secrets, ...hidden];
    const { typed: sent, acted } = jobOf(ctx);
    return { sent, acted, secrets, ...(command === undefined ? {} : { command }) };
  }

  async function announce(lines: readonly string[], ctx: Context): Promise<void> {
    const job = jobOf(ctx);
    if (lines.every((line) => job.announced.has(line))) return;
    for (const line of lines) job.announced.add(line);
    await ctx.announce(lines);
  }

  function requireTypable(line: string, as: "line" | "query" | "text", ctx: Context): void {
    const fault = platform.editor.fault(line, as);
    if (fault !== undefined) throw untypable(line, fault, errorContext(ctx));
    try {
      channel.requireTypable(line);
    } catch (error) {
      throw withOutcome(error, errorContext(ctx), "");
    }
  }

  function type(text: string, secret: boolean, ctx: Context): void {
    channel.write(text, ctx.signal);
    options.sent?.(secret ? hiddenName : text);
  }

  /** A question is answered as it is: it has no line editor, and a password must not be changed. */
  function keysOf(input: Input): string | undefined {
    return input.kind === "line" && (standing || input.continues === true)
      ? platform.editor.typed(input.text, input.asksHelp === true)
      : undefined;
  }

  /** The exchange with the line as the device echoes it. */
  function asShown(exchange: Exchange): Exchange {
    const { input } = exchange;
    if (input.kind !== "line") return exchange;
    const text = platform.editor.shown(input.text);
    return text === input.text ? exchange : { ...exchange, input: { ...input, text } };
  }

  /** The line of an exchange whose echo shows whether the device has read it; a help request is read key by key. */
  function comparedIn({ input, verifyEcho }: Exchange): string | undefined {
    if (input.kind !== "line" || verifyEcho === false || !platform.echoes) return undefined;
    return input.asksHelp === true && input.text.endsWith("?") ? undefined : input.text;
  }

  function begin(
    { input, prepares }: Exchange,
    keys: string | undefined,
    progress: Progress,
    ctx: Context,
  ): void {
    if (input.kind === "nothing") return;
    const text = inputText(input, platform.newline);
    const secret = input.kind === "secret";
    if (secret) {
      hidden.push(new Secret(text));
      progress.secrets.push({ line: "", reply: text });
    }
    channel.mark();
    const erased = keepsLine ? (platform.plugin.afterRefusal ?? "") : "";
    // Nothing has reached the device before this point: an earlier error leaves no doubt about the outcome.
    type(erased + (keys ?? text) + (input.kind === "key" ? "" : platform.newline), secret, ctx);
    standing = false;
    keepsLine = false;
    before = input.kind === "line" ? [text] : input.kind === "lines" ? input.lines : [];
    const job = jobOf(ctx);
    job.acted ||= prepares !== true && job.announced.size > 0;
    for (const line of secret ? [hiddenName] : text.split(platform.newline)) {
      if (job.announced.has(line)) job.typed.push(line);
    }
  }

  async function say(given: Exchange, ctx: Context): Promise<Answer> {
    const keys = keysOf(given.input);
    const exchange = keys === undefined ? given : asShown(given);
    const { input } = exchange;
    const job = jobOf(ctx);
    const currentPrompt = current;
    const late = input.kind === "line" && channel.received() > 0 ? channel.view.text() : "";
    const { received, rttMs } = channel;
    const isLate = late !== "";
    const echoing = { state: echoState, atPrompt: standing, before };
    const of = { exchange, platform, currentPrompt, received, rttMs, delayFactor, isLate, echoing };
    const detector = detectorFor(of);
    const isHidden = input.kind === "secret" || input.kind === "nothing";
    const typed = isHidden ? undefined : inputText(input, platform.newline);
    const unchanging = exchange.learnsPrompt === true || (input.kind === "line" && input.text === "");
    const progress: Progress = {
      detector,
      currentPrompt,
      late,
      secrets: [],
      compared: isLate || keys === undefined ? undefined : comparedIn(exchange),
      overrunAt: undefined,
      unchanging,
      typed: typed ?? "",
      twice: echoesTwice && input.kind === "line",
    };
    echoesTwice = false;
    const slowness = Math.max(1, delayFactor, exchange.delayFactor ?? 1);
    const unheldMs = () => performance.now() - channel.heldMs();
    const startedAt = unheldMs();
    begin(given, keys, progress, ctx);
    try {
      for (;;) {
        const judged = progress.secrets.length > 0 ? judgedTimes : 1;
        const event = await channel.read(detector.look, {
          signal: ctx.signal,
          heard: ctx.output,
          ...(exchange.totalMs === undefined
            ? { quietMs: (exchange.quietMs ?? options.quietMs) * slowness * judged }
            : { totalMs: Math.max(1, exchange.totalMs - (unheldMs() - startedAt)) }),
          maxBytes: Math.min(commandBytes, jobBytes - job.bytes),
          timedOut(ms) {
            const waited = waitedFor(exchange, currentPrompt);
            return readTimeout(channel.view.text(), waited, exchange.totalMs ?? ms, errorContext(ctx, typed));
          },
          tooLarge: (text) => outputTooLarge(text, errorContext(ctx, typed)),
        });
        const answer = take(event, progress, ctx);
        if (answer !== undefined) return answer;
      }
    } catch (error) {
      exchange.cut?.(channel.view.text());
      throw withOutcome(error, errorContext(ctx, typed), channel.view.text());
    } finally {
      job.bytes += channel.size();
      channel.rest();
    }
  }

  /** Handles one event; returns the answer if the exchange has ended. */
  function take(event: Event, progress: Progress, ctx: Context): Answer | undefined {
    const { detector } = progress;
    switch (event.kind) {
      case "overrun":
        progress.overrunAt ??= askForPrompt(detector, ctx);
        return undefined;
      case "probe":
        detector.probed(channel.view, event.found);
        type(platform.newline, false, ctx);
        return undefined;
      case "pager":
        press(detector, ctx);
        return undefined;
      case "wake":
        channel.replied();
        detector.pressed(channel.view, true);
        type(platform.newline, false, ctx);
        return undefined;
      case "reply":
        reply(event.rule, progress, ctx);
        return undefined;
      default:
        return finish(event, progress, ctx);
    }
  }

  /** Requests a new prompt if the old one was overrun; if there was none, the device is only slow. */
  function askForPrompt(detector: PromptDetector, ctx: Context): number | undefined {
    const at = detector.overrunAt(channel.view);
    detector.pressed(channel.view, false);
    if (at !== undefined) type(platform.newline, false, ctx);
    return at;
  }

  function press(detector: PromptDetector, ctx: Context): void {
    const key = pressFor(platform, channel.view.line()) ?? " ";
    channel.wipe();
    detector.pressed(channel.view, false);
    type(key, false, ctx);
  }

  function reply(rule: Rule, { detector, secrets }: Progress, ctx: Context): void {
    const secret = rule.reply instanceof Secret;
    const text =
      rule.reply instanceof Secret
        ? rule.reply.reveal()
        : (rule.reply ?? "").replaceAll("{username}", () => options.username);
    if (rule.reply instanceof Secret) {
      hidden.push(rule.reply);
      secrets.push({ line: channel.view.line(), reply: text });
    }
    channel.replied();
    detector.answered(rule, channel.view);
    type(text + (rule.newline === false ? "" : platform.newline), secret, ctx);
  }

  function finish(
    event: Exclude<Event, { kind: "overrun" | "pager" | "probe" | "wake" | "reply" }>,
    { detector, currentPrompt, late, secrets, compared, overrunAt, unchanging, typed, twice }: Progress,
    ctx: Context,
  ): Answer {
    const last = foundBy(event, currentPrompt);
    const { text: shownText, probed } = detector.cleaned(channel.view.text(), last);
    if (last !== undefined) {
      if (unchanging) count(last.prompt, 2);
      // A number that the command names is that of a mode.
      else if (probed && !numbersOf(last.prompt).some((number) => typed.includes(number)))
        count(last.prompt, 1);
      arriveAt(last, ctx);
    }
    // The prompt that is kept may follow output without a line end.
    const found = last && probed ? (platform.prompts.find(shownText, last.prompt) ?? last) : last;
    const echoed = detector.echoed(channel.view);
    if (echoed !== undefined) echoState = echoed ? "yes" : "no";
    const firstEnd = detector.echoEnd(channel.view) ?? 0;
    const echoEnd = firstEnd + (twice ? repeatedEcho(shownText, firstEnd, typed) : 0);
    const lastAt = endOf(event, found, shownText);
    const isCut = overrunAt !== undefined && isOverrun(shownText, overrunAt, lastAt);
    const promptAt = isCut ? Math.min(lastAt, overrunAt - 1) : lastAt;
    const text = secrets.reduce(withoutSecret, shownText);
    const altered =
      compared === undefined
        ? undefined
        : alteredEcho(shownText, channel.view.head(), compared, currentPrompt);
    const answer: AnswerText = {
      text,
      early: currentPrompt === undefined ? "" : earlyText(late, shownText.slice(0, echoEnd), currentPrompt),
      echoEnd: Math.min(echoEnd, text.length),
      // The forgotten text was between echo and prompt.
      promptAt: promptAt - (shownText.length - text.length),
      replies: detector.answers(),
      ...(altered === undefined ? {} : { altered }),
    };
    switch (event.kind) {
      case "prompt":
        return { ...answer, ended: "prompt", found: found ?? event.found };
      case "question": {
        const { rule, again } = event;
        return { ...answer, ended: "question", question: { rule, again, line: channel.view.line() } };
      }
      case "refused":
        return { ...answer, ended: "refused" };
      case "open":
        return { ...answer, ended: "open", block: event.block };
      default:
        return { ...answer, ended: event.kind, found };
    }
  }

  /** Where the output ends: before the prompt, or the secondary prompt. */
  function endOf(event: Event, found: Found | undefined, text: string): number {
    if (found !== undefined) return withoutPrompt(text, found).length;
    return event.kind === "open" ? text.lastIndexOf("\n") + 1 : text.length;
  }

  function foundBy(event: Event, currentPrompt: Prompt | undefined): Found | undefined {
    if (event.kind === "prompt") return event.found;
    if (["question", "refused", "open"].includes(event.kind)) return undefined;
    return platform.prompts.find(channel.view.tail(), currentPrompt);
  }

  /** One change of the numbers alone may have another reason, unless nothing was typed. */
  function count(prompt: Prompt, weight: 1 | 2): void {
    if (current === undefined || !isAnother(prompt, current)) return;
    variations += weight;
    varies ||= variations > 1;
  }

  function arriveAt({ prompt, glued, learned, keepsLine: kept }: Found, ctx: Context): void {
    standing = true;
    keepsLine = kept === true;
    if (glued) return;
    if (learned === true) {
      platform = withLearnedPrompt(platform, prompt);
      ctx.warn(
        `the prompt ${JSON.stringify(prompt.text)} is none of ${platform.plugin.name}: it was learnt as a prompt of the level "${prompt.level}"; set connection_args.prompt to declare it`,
      );
    }
    current = varies ? { ...prompt, varies } : prompt;
  }

  async function interrupt(ctx: Context): Promise<void> {
    const levels = Object.keys(platform.plugin.levels);
    const quietMs = Math.min(interruptMs, options.quietMs);
    await say({ input: { kind: "key", text: "\x03" }, verifyEcho: false, levels, quietMs }, ctx);
    echoesTwice = platform.echoes;
  }

  return {
    say,
    announce,
    requireTypable,
    interrupt,
    prompt: () => current,
    atPrompt: () => standing,
    errorContext,
    channel,
    get platform() {
      return platform;
    },
  };
}

// Detects the end of a pipelined write: as many prompts as lines, the last one at the end of the output.

/** A question or a different prompt counts as the end of the write after this much silence. */
const elsewhereMs = 500;
/** A prompt was repeated: the answer to the last line comes within this time. */
const repeatedMs = 6000;

function detectorFor(options: DetectorOptions): PromptDetector {
  const { exchange, currentPrompt } = options;
  const { input, until } = exchange;
  return until?.kind === "prompts" && input.kind === "lines" && currentPrompt !== undefined
    ? createAheadDetector(options, currentPrompt, input.lines)
    : createPromptDetector(options);
}

/** This detector answers no questions: the device would read a reply only after the queued lines. */
function createAheadDetector(
  { exchange, platform, received, rttMs, ...options }: DetectorOptions,
  current: Prompt,
  lines: readonly string[],
): PromptDetector {
  const delayFactor = Math.max(1, options.delayFactor, exchange.delayFactor ?? 1);
  const prompt = lastLine(current);
  const found = { prompt: current, glued: false };

  function decide(view: View): Decision<Event> {
    const line = view.line();
    if (line.trimEnd().endsWith(prompt)) {
      const text = view.text();
      if (promptCount(text, prompt) < lines.length) return undefined;
      const value: Event = { kind: "prompt", found };
      const count = answerCount(text, prompt, lines);
      if (count === lines.length)
        return { value, settleMs: guardMs(received(), rttMs(), delayFactor), sure: true };
      const usualMs = silence(view);
      return unsure(value, count > lines.length ? usualMs : Math.max(usualMs, repeatedMs * delayFactor));
    }
    return elsewhere(view, line);
  }

  function elsewhere(view: View, line: string): Decision<Event> {
    if (line.trim() === "") return undefined;
    const waitMs = Math.max(silence(view), elsewhereMs * delayFactor);
    for (const rule of exchange.rules ?? []) {
      if (rule.ask.test(line)) return unsure({ kind: "question", rule, again: false }, waitMs);
    }
    const other = platform.prompts.find({ line, tail: view.tail }, current);
    if (other === undefined || other.glued || promptLines(view.text(), other.prompt) < lines.length)
      return undefined;
    return unsure({ kind: "prompt", found: other }, waitMs);
  }

  function silence(view: View): number {
    return toleratedGapMs(silenceMs(rttMs(), delayFactor), view.arrivals());
  }

  return {
    look: decide,
    echoEnd: () => undefined,
    echoed: () => undefined,
    overrunAt: () => undefined,
    answers: () => 0,
    probed() {},
    cleaned: (text) => ({ text, probed: false }),
    answered() {},
    pressed() {},
  };
}
