/** From the opened wire to the first prompt: login questions, prepare commands in one write. */
import { ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secret.ts";
import type { Context } from "../plugin/kit.ts";
import type { Question } from "../plugin/platform.ts";
import type { Verdict, View } from "./channel.ts";
import type { Conversation } from "./conversation.ts";
import { lastWords } from "./errors.ts";
import { silenceMs } from "./judge.ts";
import { pressFor } from "./platform.ts";
import type { Prompt } from "./prompt.ts";

export interface Credentials {
  readonly username: string;
  readonly password?: Secret | undefined;
}

export interface LandingOptions {
  readonly talk: Conversation;
  readonly credentials: Credentials;
  readonly delayFactor: number;
  /** All of it. */
  readonly timeoutMs: number;
}

interface Event {
  readonly kind: "prompt" | "question" | "pager" | "wake";
  readonly prompt?: Prompt;
  readonly question?: Question;
}

/** A line that has been quiet for so long may wait for a key: consoles do. Never on the way of one that greets. */
const wakeAfterMs = 2000;
const mostReplies = 20;
const landingBytes = 8 * 1024 * 1024;
/** Lets what the socket holds already arrive. */
const guardMs = 0.05;

/** Reads up to the first prompt, prepares the terminal, and learns the prompt from what follows. */
export async function land(options: LandingOptions, ctx: Context): Promise<void> {
  const { talk, timeoutMs } = options;
  const startedAt = performance.now();
  const left = () => timeoutMs - (performance.now() - startedAt);
  const first = await firstPrompt(options, left, ctx);
  // The commands show by their prompts that it was one; a RETURN does where there are none.
  const commands = talk.platform.plugin.prepare ?? [];
  await prepare(commands.length > 0 ? commands : [""], first, options, left, ctx);
}

/** Sends commands in one write; their refusals are no concern. */
export async function prepareAt(
  commands: readonly string[],
  options: LandingOptions,
  ctx: Context,
): Promise<void> {
  const startedAt = performance.now();
  const at = options.talk.prompt();
  if (at === undefined || commands.length === 0) return;
  options.talk.channel.mark();
  await prepare(commands, at, options, () => options.timeoutMs - (performance.now() - startedAt), ctx);
}

async function prepare(
  commands: readonly string[],
  first: Prompt,
  options: LandingOptions,
  left: () => number,
  ctx: Context,
): Promise<void> {
  const { channel, platform } = options.talk;
  let before = channel.received();
  const prompts = promptLines(channel.view, first) + commands.length;
  channel.write(commands.map((text) => text + platform.newline).join(""), ctx.signal);
  for (;;) {
    const event = await channel.read<Event>(
      (view) => {
        if (channel.received() === before) return undefined;
        return pager(view, options) ?? settled(view, prompts, first, options);
      },
      limits(options, left, ctx),
    );
    if (event.prompt !== undefined) {
      channel.rest();
      return options.talk.learn(event.prompt);
    }
    before = channel.received();
    press(options, ctx);
  }
}

async function firstPrompt(options: LandingOptions, left: () => number, ctx: Context): Promise<Prompt> {
  const { talk, credentials, delayFactor } = options;
  const { channel, platform } = talk;
  const questions = platform.plugin.login ?? [];
  let before = -1;
  let answered: { lines: number; line: string } | undefined;
  const given = new Set<Question>();
  for (let replies = 0; replies <= mostReplies; replies++) {
    const event = await channel.read<Event>(
      (view) => {
        const line = view.line();
        const same = answered && view.lines() === answered.lines && line.startsWith(answered.line);
        if (channel.received() === before || same) return undefined;
        const asked = line.trim() === "" ? lastLine(view) : line;
        const question = asked === "" ? undefined : questions.find(({ ask }) => ask.test(asked));
        const quietMs = silenceMs(undefined, delayFactor);
        if (question !== undefined) return unsure({ kind: "question", question }, quietMs);
        const page = pager(view, options);
        if (page !== undefined) return page;
        const prompt = platform.prompts.find(view.tail())?.prompt;
        // Where questions may come first, what looks like a prompt may be a part of the greeting.
        if (prompt !== undefined)
          return unsure({ kind: "prompt", prompt }, questions.length > 0 ? quietMs : guardMs);
        return unsure({ kind: "wake" }, wakeAfterMs * Math.max(1, delayFactor));
      },
      limits(options, left, ctx),
    );
    if (event.prompt !== undefined) return event.prompt;
    before = channel.received();
    answered = undefined;
    if (event.kind === "pager") press(options, ctx);
    else if (event.question === undefined) channel.write(platform.newline, ctx.signal);
    else {
      answered = { lines: channel.view.lines(), line: channel.view.line() };
      const { reply, newline } = event.question;
      // The same password again would count as a second failure and may lock the account.
      if (given.has(event.question) && reply.includes("{password}")) throw refusedLogin(options, ctx);
      given.add(event.question);
      const text = reply.replaceAll(/\{(username|password)\}/g, (_, field) =>
        field === "username" ? credentials.username : (credentials.password?.reveal() ?? ""),
      );
      channel.write(text + (newline === false ? "" : platform.newline), ctx.signal);
    }
  }
  throw noPrompt(options, ctx);
}

/** The prompt stands at the end, and as often at line starts as it must after so many commands. */
function settled(view: View, prompts: number, first: Prompt, options: LandingOptions): Verdict<Event> {
  const { talk, delayFactor } = options;
  const found = talk.platform.prompts.find(view.tail(), first);
  if (found === undefined || found.glued) return undefined;
  const { prompt } = found;
  const sure = prompt.text === first.text && promptLines(view, prompt) >= prompts;
  const settleMs = sure ? guardMs : silenceMs(talk.channel.rttMs(), delayFactor);
  return { value: { kind: "prompt", prompt }, settleMs, sure };
}

/** Typed-ahead commands are echoed anywhere, but each has its prompt at a line start. */
function promptLines(view: View, { text }: Prompt): number {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const lines = view.text().split("\n");
  lines[lines.length - 1] = view.line();
  return lines.filter((line) => line.startsWith(last)).length;
}

function pager(view: View, { talk }: LandingOptions): Verdict<Event> {
  return pressFor(talk.platform, view.line()) === undefined ? undefined : unsure({ kind: "pager" }, guardMs);
}

function press({ talk }: LandingOptions, ctx: Context): void {
  const key = pressFor(talk.platform, talk.channel.view.line()) ?? " ";
  talk.channel.wipe();
  talk.channel.write(key, ctx.signal);
}

function unsure(value: Event, settleMs: number): Verdict<Event> {
  return { value, settleMs, sure: false };
}

function limits(options: LandingOptions, left: () => number, ctx: Context) {
  return {
    signal: ctx.signal,
    totalMs: Math.max(1, left()),
    maxBytes: landingBytes,
    timedOut: () => noPrompt(options, ctx),
    tooLarge: () => noPrompt(options, ctx),
  };
}

function refusedLogin({ talk, credentials }: LandingOptions, ctx: Context): ServiceError {
  const words = lastWords(talk.channel.view.text(), talk.trouble(ctx).secrets);
  return new ServiceError(
    "AuthenticationFailed",
    `Authentication failed for ${credentials.username}: the device asks for the password again. ` +
      `Last received: ${JSON.stringify(words)}`,
  );
}

function noPrompt({ talk, timeoutMs }: LandingOptions, ctx: Context): ServiceError {
  const { secrets } = talk.trouble(ctx);
  const words = lastWords(talk.channel.view.text(), secrets);
  return new ServiceError(
    "ReadTimeout",
    `No prompt of ${talk.platform.plugin.name} was found within ${Math.round(timeoutMs / 1000)} seconds. ` +
      `Last received: ${JSON.stringify(words)}`,
  );
}

function lastLine(view: View): string {
  const text = view.tail().trimEnd();
  return text.slice(text.lastIndexOf("\n") + 1);
}
