/** One thing said to the device and its answer: types, answers questions and the pager, ends at the prompt. */
import { Secret } from "../base/secret.ts";
import type { Context } from "../plugin/kit.ts";
import type { Channel } from "./channel.ts";
import { withoutPrompt } from "./echo.ts";
import { outputTooLarge, readTimeout, type Trouble, withTrouble } from "./errors.ts";
import { createJudge, type Event, type Judge, type Rule, type Saying, silenceMs } from "./judge.ts";
import { type CompiledPlatform, pressFor } from "./platform.ts";
import type { Found, Prompt } from "./prompt.ts";

export interface Answer {
  /** From the echo to the prompt, both included. */
  readonly text: string;
  /** How much of it is the echo, and where the prompt begins. */
  readonly echoEnd: number;
  readonly promptAt: number;
  readonly ended: "prompt" | "expected" | "silence" | "question";
  readonly found: Found | undefined;
  /** The question at which it ended: one without a reply, or one that was answered already. */
  readonly question?: { readonly rule: Rule; readonly again: boolean; readonly line: string };
}

export interface Conversation {
  say(saying: Saying, ctx: Context): Promise<Answer>;
  /** Tells the main thread what may be sent from now on, and waits until it is written down. */
  announce(lines: readonly string[], ctx: Context): Promise<void>;
  /** Presses Ctrl-C and reads up to a prompt, whatever went on before. */
  interrupt(ctx: Context): Promise<void>;
  /** The prompt that was seen last. */
  prompt(): Prompt | undefined;
  /** Whether the device stands at that prompt now. */
  atPrompt(): boolean;
  /** The login has found the first prompt. */
  learn(prompt: Prompt): void;
  silenceMs(): number;
  trouble(ctx: Context, command?: string): Trouble;
  readonly channel: Channel;
  readonly platform: CompiledPlatform;
}

export interface ConversationOptions {
  readonly channel: Channel;
  readonly platform: CompiledPlatform;
  readonly delayFactor: number;
  /** A device that sends nothing for so long has not answered. */
  readonly quietMs: number;
  readonly username: string;
  readonly secrets: readonly (Secret | undefined)[];
  readonly sent?: (text: string) => void;
}

/** How a secret that is typed is called wherever it would be named. */
export const hiddenName = "[secret]";

const commandBytes = 8 * 1024 * 1024;
const interruptMs = 2000;
const jobBytes = 32 * 1024 * 1024;

/** Of one job, known by its context. */
interface Job {
  bytes: number;
  readonly announced: Set<string>;
  /** Those of the announced lines that were typed. */
  readonly typed: string[];
}

/** A secret typed behind a question: some devices show it there. */
interface Typed {
  readonly line: string;
  readonly reply: string;
}

export function createConversation(options: ConversationOptions): Conversation {
  const { channel, platform, delayFactor } = options;
  const jobs = new WeakMap<Context, Job>();
  const hidden: Secret[] = [];
  let current: Prompt | undefined;
  let standing = false;

  function jobOf(ctx: Context): Job {
    const job = jobs.get(ctx) ?? { bytes: 0, announced: new Set<string>(), typed: [] };
    jobs.set(ctx, job);
    return job;
  }

  function trouble(ctx: Context, command?: string): Trouble {
    const secrets = [...options.secrets, ...hidden];
    return { sent: jobOf(ctx).typed, secrets, ...(command === undefined ? {} : { command }) };
  }

  async function announce(lines: readonly string[], ctx: Context): Promise<void> {
    const job = jobOf(ctx);
    if (lines.every((line) => job.announced.has(line))) return;
    for (const line of lines) job.announced.add(line);
    await ctx.announce(lines);
  }

  function type(text: string, secret: boolean, ctx: Context): void {
    channel.write(text, ctx.signal);
    options.sent?.(secret ? "[secret]" : text);
  }

  async function say(saying: Saying, ctx: Context): Promise<Answer> {
    const job = jobOf(ctx);
    const known = current;
    const judge = createJudge({
      saying,
      platform,
      known,
      received: channel.received,
      rttMs: channel.rttMs,
      delayFactor,
    });
    const shown = saying.hidden ? undefined : saying.text;
    const typed: Typed[] = [];
    if (saying.hidden) {
      hidden.push(new Secret(saying.text));
      typed.push({ line: "", reply: saying.text });
    }
    let overrunAt: number | undefined;
    const startedAt = performance.now();
    channel.mark();
    // Nothing has reached the device before this: what it throws leaves no doubt.
    type(saying.text + (saying.raw ? "" : platform.newline), saying.hidden === true, ctx);
    standing = false;
    for (const line of saying.hidden ? [hiddenName] : saying.text.split(platform.newline)) {
      if (job.announced.has(line)) job.typed.push(line);
    }
    try {
      for (;;) {
        const event = await channel.read(judge.look, {
          signal: ctx.signal,
          ...(saying.totalMs === undefined
            ? {
                quietMs:
                  (saying.quietMs ?? options.quietMs) * Math.max(1, delayFactor, saying.delayFactor ?? 1),
              }
            : { totalMs: saying.totalMs - (performance.now() - startedAt) }),
          maxBytes: Math.min(commandBytes, jobBytes - job.bytes),
          timedOut: (ms) => {
            const waitedMs = saying.totalMs ?? ms;
            return readTimeout(channel.view.text(), waitedFor(saying, known), waitedMs, trouble(ctx, shown));
          },
          tooLarge: (text) => outputTooLarge(text, trouble(ctx, shown)),
        });
        if (event.kind === "overrun") overrunAt ??= wake(judge, ctx);
        else if (event.kind === "pager") press(judge, ctx);
        else if (event.kind === "reply" && event.rule !== undefined) reply(event.rule, judge, typed, ctx);
        else return finish(event, judge, known, typed, overrunAt);
      }
    } catch (error) {
      throw withTrouble(error, trouble(ctx, shown), channel.view.text());
    } finally {
      job.bytes += channel.received();
      channel.rest();
    }
  }

  /** Asks for a new prompt where the old one was written over; where there was none, the device is only slow. */
  function wake(judge: Judge, ctx: Context): number | undefined {
    const at = judge.overrunAt(channel.view.text());
    judge.replied(undefined, { bytes: channel.received(), lines: channel.view.lines() });
    if (at !== undefined) type(platform.newline, false, ctx);
    return at;
  }

  function press(judge: Judge, ctx: Context): void {
    const key = pressFor(platform, channel.view.line()) ?? " ";
    channel.wipe();
    judge.replied(undefined, { bytes: channel.received(), lines: channel.view.lines() });
    type(key, false, ctx);
  }

  function reply(rule: Rule, judge: Judge, typed: Typed[], ctx: Context): void {
    const secret = rule.reply instanceof Secret;
    const text =
      rule.reply instanceof Secret
        ? rule.reply.reveal()
        : (rule.reply ?? "").replaceAll("{username}", () => options.username);
    const line = channel.view.line();
    if (rule.reply instanceof Secret) {
      hidden.push(rule.reply);
      typed.push({ line, reply: text });
    }
    judge.replied(rule, { bytes: channel.received(), lines: channel.view.lines(), line });
    type(text + (rule.newline === false ? "" : platform.newline), secret, ctx);
  }

  function finish(
    event: Event,
    judge: Judge,
    known: Prompt | undefined,
    typed: readonly Typed[],
    overrunAt: number | undefined,
  ): Answer {
    const { kind } = event;
    const ended = kind === "pager" || kind === "reply" || kind === "overrun" ? "prompt" : kind;
    const found =
      event.found ?? (ended === "question" ? undefined : platform.prompts.find(channel.view.tail(), known));
    if (found !== undefined) {
      standing = true;
      if (!found.glued) current = found.prompt;
    }
    const whole = channel.view.text();
    const echoEnd = judge.echoEnd(channel.view) ?? 0;
    const lastAt = found === undefined ? whole.length : withoutPrompt(whole, found).length;
    const promptAt = overrunAt === undefined ? lastAt : Math.min(lastAt, overrunAt - 1);
    const text = typed.reduce(forget, whole);
    // What was forgotten stood between echo and prompt.
    return {
      text,
      echoEnd: Math.min(echoEnd, text.length),
      promptAt: promptAt - (whole.length - text.length),
      ended,
      found,
      ...(event.rule === undefined
        ? {}
        : { question: { rule: event.rule, again: event.again === true, line: channel.view.line() } }),
    };
  }

  async function interrupt(ctx: Context): Promise<void> {
    const levels = Object.keys(platform.plugin.levels);
    const quietMs = Math.min(interruptMs, options.quietMs);
    await say({ text: "\x03", raw: true, verifyEcho: false, levels, quietMs }, ctx);
  }

  return {
    say,
    announce,
    interrupt,
    prompt: () => current,
    atPrompt: () => standing,
    learn(prompt) {
      current = prompt;
      standing = true;
    },
    silenceMs: () => silenceMs(channel.rttMs(), delayFactor),
    trouble,
    channel,
    platform,
  };
}

/** What the device said, without the echo and the prompt. */
export function body(answer: Answer): string {
  return answer.text.slice(answer.echoEnd, Math.max(answer.echoEnd, answer.promptAt));
}

function forget(text: string, { line, reply }: Typed): string {
  if (reply === "") return text;
  const shown = line === "" ? text : text.replaceAll(line + reply, line);
  // A device that echoes it on a line of its own.
  return shown
    .split("\n")
    .map((one) => (one.trim() === reply ? "" : one))
    .join("\n");
}

function waitedFor(saying: Saying, known: Prompt | undefined): string {
  if (saying.expect !== undefined) return `'${saying.expect.source}'`;
  return known === undefined ? "a prompt" : `'${known.text}'`;
}
