/** A session on a device's command line, over an open stream: logs in, sends, changes levels, logs out. */

import { ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import { userPattern } from "../../base/regex/pattern.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { refusedQuery } from "../../base/text/refusal-text.ts";
import { endingOf } from "../../base/text/text-blocks.ts";
import type { Command, Dialogue } from "../../plugin/command.ts";
import type { CliSession, ConfigureOptions, SendOptions } from "../../plugin/kit/cli.ts";
import type { Context } from "../../plugin/kit/kit.ts";
import type { PlatformPlugin } from "../../plugin/platform.ts";
import { quietContext } from "../../plugin/quiet-context.ts";
import { type Answer, answerBody, hiddenName } from "./exchange/answer.ts";
import { createChannel } from "./exchange/channel.ts";
import { type Conversation, createConversation } from "./exchange/conversation.ts";
import { refused } from "./exchange/errors.ts";
import type { Exchange, Input, Until } from "./exchange/exchange.ts";
import { createQueryBlock } from "./exchange/query-block.ts";
import { anyQuestions, unanswered } from "./exchange/questions.ts";
import { refusalIn } from "./exchange/refusals.ts";
import { createFiles, type FileTransfers } from "./files.ts";
import { type CompiledPlatform, compilePlatform } from "./platform.ts";
import { awaitFirstPrompt, prepare } from "./prompt/first-prompt.ts";
import { homeLevelOf, reachHomeLevel } from "./prompt/home-level.ts";
import { withPattern } from "./prompt/learned-prompt.ts";
import { createPrivilege } from "./prompt/privilege.ts";
import { hostOf, isOtherName } from "./prompt/prompt.ts";
import { inPromptContext, promptContextOf, returnTo, samePrompt } from "./prompt/prompt-context.ts";
import { type Configure, createConfigure } from "./push/configure.ts";
import { makeLiteral } from "./push/literal-mode.ts";
import { createRollback, type Rollback } from "./push/rollback.ts";
import { createSave } from "./push/save.ts";

export interface OpenOptions {
  readonly stream: ByteStream;
  readonly transport: "ssh" | "telnet";
  readonly platform: PlatformPlugin;
  readonly host: string;
  readonly username: string;
  readonly password?: Secret;
  /** Enable password. */
  readonly secret?: Secret;
  /** A prompt unknown to the platform: the whole line, or a regular expression that matches it. */
  readonly prompt?: string;
  readonly delayFactor: number;
  /** The device has not answered if it sends nothing for this long. */
  readonly readTimeoutMs: number;
  /** From the open stream to the prepared prompt. */
  readonly openTimeoutMs: number;
  readonly trace?: (direction: "sent" | "received", text: string) => void;
  /** File transfer beside the terminal; absent over Telnet. */
  readonly files?: FileTransfers;
  /** Shares compiled platforms between sessions; see `createPlatformCompiler`. */
  readonly compile?: (plugin: PlatformPlugin) => CompiledPlatform;
}

/**
 * A session that was at its prompt this recently, and received nothing since, needs no liveness check: the check costs
 * a whole round trip, which is half of a short job.
 */
const provenForMs = 5_000;
/** Logging out must not delay the end of a session. */
const goodbyeMs = 2000;

/** @throws ServiceError ReadTimeout, AuthenticationFailed, ConnectionLost; the stream is closed then */
export async function openCliSession(options: OpenOptions, ctx: Context): Promise<CliSession> {
  const { stream, platform, trace, delayFactor } = options;
  try {
    const ofPlatform = (options.compile ?? compilePlatform)(platform);
    const compiled = options.prompt === undefined ? ofPlatform : withPattern(ofPlatform, options.prompt);
    const channel = createChannel({
      stream,
      cols: compiled.cols,
      ...(platform.encoding === undefined ? {} : { encoding: platform.encoding }),
      ...(trace === undefined ? {} : { received: (text: string) => trace("received", text) }),
    });
    const talk = createConversation({
      channel,
      platform: compiled,
      delayFactor,
      quietMs: options.readTimeoutMs,
      username: options.username,
      secrets: [options.secret, options.password],
      ...(trace === undefined ? {} : { sent: (text: string) => trace("sent", text) }),
    });
    return await openOver(talk, options, ctx);
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function openOver(talk: Conversation, options: OpenOptions, ctx: Context): Promise<CliSession> {
  const { platform, openTimeoutMs, username, password, host, transport } = options;
  const { asked } = await awaitFirstPrompt(
    { talk, transport, host, username, password, timeoutMs: openTimeoutMs },
    ctx,
  );
  const fresh = asked || transport === "ssh";
  const privilege = createPrivilege(talk, options);
  const landed = talk.prompt()?.level ?? platform.home;
  const homeLevel = homeLevelOf(platform, landed, { fresh, hasSecret: options.secret !== undefined });
  let prepared = platform.prepareAt === undefined;

  await prepareHere();
  // Some clients send an empty string for no secret. It is tried, as the device's secret may be empty.
  const hasSecret = (options.secret?.reveal() ?? "") !== "";
  const home = await reachHomeLevel(talk, privilege, { wanted: homeLevel, hasSecret }, ctx);
  await prepareHere();

  const opening = talk.prompt();
  const moves = movesOf(platform);
  /** Most sessions only read: the objects for pushes and file transfers are created on first use. */
  let pushing: { push: Configure; rollback: Rollback } | undefined;
  let files: ReturnType<typeof createFiles> | undefined;
  const block = createQueryBlock(talk);
  let broken = false;
  let provenAt = performance.now();

  function toPush(): { push: Configure; rollback: Rollback } {
    if (pushing !== undefined) return pushing;
    const save = createSave(talk, privilege, home);
    const push = createConfigure(talk, privilege, { home, save, transport });
    pushing = { push, rollback: createRollback({ talk, privilege, home, configure: push, save }) };
    return pushing;
  }

  const toMove = () => (files ??= createFiles({ talk, privilege, transfers: options.files }));

  /** An uncommitted push lasts only while the configuration stays open. */
  const isHeld = () => pushing?.rollback.held() === true;

  async function prepareHere(): Promise<void> {
    if (prepared || platform.prepareAt === undefined) return;
    if (talk.prompt()?.level !== platform.prepareAt.level) return;
    prepared = true;
    await prepare(talk, platform.prepareAt.commands, openTimeoutMs, ctx);
  }

  /** A failure in the middle of an exchange leaves the session in an unknown state. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      provenAt = performance.now();
      return result;
    } catch (error) {
      const refusal = error instanceof ServiceError && ["CommandError", "DriverError"].includes(error.kind);
      // Leaving the mode could apply an incomplete configuration.
      if (!refusal || !talk.atPrompt() || !atOpening()) broken = true;
      throw error;
    }
  }

  function requireTypable(lines: readonly string[], ctx: Context): void {
    for (const line of lines) talk.requireTypable(line, talk.atPrompt() ? "query" : "text", ctx);
  }

  async function send(command: Command, sendOptions: SendOptions, ctx: Context): Promise<string> {
    const dialogue: Dialogue = typeof command === "string" ? { send: command } : command;
    requireTypable([nameOf(dialogue)], ctx);
    await talk.announce([nameOf(dialogue)], ctx);
    const levels = moves.get(dialogue.send.trim());
    const limits = {
      ...(levels === undefined ? {} : { levels }),
      rules: [...(platform.questions ?? []).map(({ ask }) => ({ ask })), ...anyQuestions],
      ...(sendOptions.readTimeoutMs === undefined ? {} : { totalMs: sendOptions.readTimeoutMs }),
      ...(sendOptions.verifyEcho === undefined ? {} : { verifyEcho: sendOptions.verifyEcho }),
      ...(sendOptions.delayFactor === undefined ? {} : { delayFactor: sendOptions.delayFactor }),
    };
    const until = untilOf(sendOptions);
    const following = sendOptions.following ?? (() => []);
    if (block.isOpen() && until === undefined && dialogue.expect === undefined) {
      const answer = await block.take(dialogue.send, limits, following, ctx);
      return answer === undefined ? "" : textOf([answer], sendOptions);
    }
    const typed = dialogue.send.trimEnd();
    const text = pushing?.rollback.worded(typed) ?? typed;
    const before = talk.prompt();
    if (platform.literally !== undefined) await makeLiteral(talk, [text], ctx);
    const answers =
      until === undefined
        ? await converse(talk, { ...dialogue, send: text }, { ...limits, opens: opensOf(dialogue) }, ctx)
        : [
            await talk.say(
              { ...limits, input: { kind: "line", text, asksHelp: true }, rules: [], until },
              ctx,
            ),
          ];
    const questioned = answers.find((answer) => answer.ended === "question");
    const early = answers[0]?.early ?? "";
    if (early !== "") sendOptions.early?.((before?.text ?? "") + early);
    if (questioned !== undefined) throw unanswered(questioned, nameOf(dialogue));
    const shown = answers[0]?.altered;
    if (shown !== undefined) {
      ctx.warn(`the device shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}: it may have run that`);
    }
    const last = answers.at(-1);
    if (last?.ended === "open") await block.answered(text, last, following, ctx);
    tellRefusal(answers, nameOf(dialogue), sendOptions.refusals, ctx);
    const now = talk.prompt();
    if (last?.ended === "prompt" && before !== undefined && now !== undefined && isOtherName(before, now))
      sendOptions.otherPrompt?.({ text: now.text, name: hostOf(now.stem) });
    return textOf(answers, sendOptions);
  }

  function opensOf({ send: text }: Dialogue): "surely" | "perhaps" {
    return platform.blocks !== undefined && endingOf(text, platform.blocks) !== undefined
      ? "surely"
      : "perhaps";
  }

  async function configure(lines: readonly string[], pushOptions: ConfigureOptions, ctx: Context) {
    const { push, rollback } = toPush();
    const result = await push(lines, pushOptions, ctx);
    if (pushOptions.kept !== undefined) await rollback.pushed(pushOptions.kept, ctx);
    return result;
  }

  function tellRefusal(
    answers: readonly Answer[],
    command: string,
    refusals: SendOptions["refusals"],
    ctx: Context,
  ): void {
    if (refusals === undefined || refusals === "ignore") return;
    const output = answers.map(answerBody).join("");
    const words = refusalIn(output, talk.platform.errors);
    if (words === undefined) return;
    const message = refusedQuery(command, words);
    if (refusals === "fail") throw refused(message, command, output);
    ctx.warn(message);
  }

  /** A system without prompts shows its level at most. */
  function atOpening(): boolean {
    const now = talk.prompt();
    if (platform.endsWithLine === true) return now?.level === home;
    if (now === undefined || opening === undefined) return false;
    return samePrompt(now, opening) && inPromptContext(platform, promptContextOf(platform, opening), now);
  }

  async function reusable(ctx: Context): Promise<boolean> {
    if (broken || isHeld() || !talk.atPrompt() || talk.channel.closed() !== undefined) return false;
    const quiet = talk.channel.received() === 0 && atOpening();
    if (quiet && performance.now() - provenAt < provenForMs) return true;
    try {
      await privilege.to(home, ctx);
      // The context chosen by one job would apply to the next one.
      if (opening === undefined || !(await returnTo(talk, promptContextOf(platform, opening), ctx)))
        return false;
      if (!atOpening()) return false;
      const quietMs = Math.min(options.readTimeoutMs, 5000);
      const text = platform.endsWithLine === true ? (platform.prepare?.[0] ?? "") : "";
      const answer = await talk.say({ input: { kind: "line", text }, verifyEcho: false, quietMs }, ctx);
      provenAt = performance.now();
      return answer.ended === "prompt" && atOpening();
    } catch {
      broken = true;
      return false;
    }
  }

  async function close(): Promise<void> {
    const { channel } = talk;
    // The terminal may be closed while its connection is still open.
    if (channel.closed() !== undefined) return channel.destroy();
    const signal = AbortSignal.timeout(goodbyeMs);
    const goodbye = quietContext({ signal, remaining: () => goodbyeMs, log: ctx.log });
    try {
      if (!broken && !isHeld() && talk.atPrompt()) {
        await privilege.to(home, goodbye);
        for (const line of platform.goodbye ?? []) channel.write(line + talk.platform.newline, signal);
      }
      await channel.end();
    } catch {
      // Ends the session even if the device does not answer the logout.
    } finally {
      channel.destroy();
    }
  }

  return {
    prompt: () => talk.prompt()?.text ?? "",
    level: () => talk.prompt()?.level ?? home,
    // The level that holds a provisional push must not be left before the push is confirmed.
    home: () => (isHeld() ? (talk.prompt()?.level ?? home) : home),
    announce: async (lines, ctx) => {
      requireTypable(lines, ctx);
      await talk.announce(lines, ctx);
    },
    send: (command, sendOptions, ctx) => guarded(() => send(command, sendOptions, ctx)),
    toLevel: (level, ctx) => guarded(async () => void (await privilege.to(level, ctx))),
    configure: (lines, pushOptions, ctx) => guarded(() => configure(lines, pushOptions, ctx)),
    keep: (pushOptions, ctx, holdSeconds) =>
      guarded(() => toPush().rollback.keep(pushOptions, ctx, holdSeconds)),
    leaveOpen: (kept, fingerprint, ctx) => guarded(() => toPush().rollback.leaveOpen(kept, fingerprint, ctx)),
    reopen: (open, fingerprint, ctx) => guarded(() => toPush().rollback.reopen(open, fingerprint, ctx)),
    extend: (kept, seconds, ctx) => guarded(() => toPush().rollback.extend(kept, seconds, ctx)),
    confirm: (kept, pushOptions, ctx) => guarded(() => toPush().rollback.confirm(kept, pushOptions, ctx)),
    undo: (kept, ctx) => guarded(() => toPush().rollback.undo(kept, ctx)),
    upload: (file, ctx) => guarded(() => toMove().move("upload", file, ctx)),
    download: (file, ctx) => guarded(() => toMove().move("download", file, ctx)),
    reusable,
    close,
  };
}

/** The name of a command in results and errors. */
export function nameOf({ send, reply, hidden }: Dialogue): string {
  return hidden && reply === undefined ? hiddenName : send;
}

/** The commands that change the level, with the levels that each may lead to. */
function movesOf({ levels }: PlatformPlugin): ReadonlyMap<string, readonly string[]> {
  const moves = new Map<string, string[]>();
  const add = (command: string | undefined, level: string | undefined) => {
    if (command !== undefined && level !== undefined)
      moves.set(command, [...(moves.get(command) ?? []), level]);
  };
  for (const [name, { enter, leave, from }] of Object.entries(levels)) {
    add(enter, name);
    add(leave, from);
  }
  return moves;
}

/** The end of the answer instead of the prompt, if the caller sets one. */
function untilOf({ expect, silenceMs }: SendOptions): Until | undefined {
  if (silenceMs !== undefined) return { kind: "silence", ms: silenceMs };
  return expect === undefined ? undefined : { kind: "pattern", pattern: expect, orPrompt: false };
}

/** Removes the echo of the first answer and the prompt of the last, unless requested. */
function textOf(answers: readonly Answer[], { stripCommand, stripPrompt }: SendOptions): string {
  return answers
    .map(({ text, echoEnd, promptAt }, at) => {
      const from = at === 0 && stripCommand !== false ? echoEnd : 0;
      const to = at === answers.length - 1 && stripPrompt !== false ? promptAt : text.length;
      return text.slice(from, Math.max(from, to));
    })
    .join("");
}

// A command with a question: waits for the question, types the reply (never shown if hidden), reads on to the prompt.

/**
 * Without `reply` it ends at the question, and the next step answers it.
 * @throws ServiceError CommandError if the prompt comes instead of the question: the device would run a reply as a
 * command
 */
async function converse(
  talk: Conversation,
  { send, expect, reply, hidden }: Dialogue,
  limits: Pick<Exchange, "totalMs" | "delayFactor" | "verifyEcho" | "rules" | "levels" | "opens">,
  ctx: Context,
): Promise<readonly Answer[]> {
  const atQuestion = !talk.atPrompt();
  // Without a reply, the line itself is the secret: it answers the question of the previous step.
  const input = typed(send, hidden === true && reply === undefined);
  const exchange: Exchange = { input, ...limits, ...(atQuestion ? { verifyEcho: false } : {}) };
  if (expect === undefined) return [await talk.say(exchange, ctx)];

  const pattern = userPattern(expect, "expect");
  const { rules: _none, opens: _noBlock, ...asking } = exchange;
  const answer = await talk.say({ ...asking, until: { kind: "pattern", pattern, orPrompt: true } }, ctx);
  if (answer.ended !== "expected") {
    const command = input.kind === "secret" ? hiddenName : send;
    throw refused(`The device did not ask for /${expect}/.`, command, answerBody(answer));
  }
  if (reply === undefined) return [answer];
  const answered = await talk.say(
    { ...limits, input: typed(reply, hidden === true), verifyEcho: false },
    ctx,
  );
  return [answer, answered];
}

function typed(text: string, secret: boolean): Input {
  return secret ? { kind: "secret", text } : { kind: "line", text, asksHelp: true };
}
