/** From the open stream to the first prompt: login questions, then the prepare commands in one write. */
import { ServiceError } from "../../../base/errors.ts";
import { Secret } from "../../../base/secrets/secret.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Answer } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { lastWords } from "../exchange/errors.ts";
import type { Rule } from "../exchange/exchange.ts";
import { newPassword } from "../exchange/questions.ts";

const username = /(?:user ?name|login(?: name)?|user(?: id)?|account)\s*:\s*$/i;
const password = /pass(?:word|code|phrase)[^:\n]{0,40}:\s*$/i;
const failed =
  /(?:login (?:incorrect|invalid|failed)|authentication (?:failed|failure)|access denied|bad passwords?|invalid (?:user ?name|password|login)|% ?login invalid|permission denied|too many (?:login )?(?:attempts|failures))/i;

/** A device that rejects all Telnet logins until a password is configured. */
const barred = /password required, but none set/i;

export interface FirstPromptOptions {
  readonly talk: Conversation;
  readonly transport: "ssh" | "telnet";
  readonly host: string;
  readonly username: string;
  readonly password?: Secret;
  /** Limit for the whole login. */
  readonly timeoutMs: number;
}

/**
 * Reads up to the first prompt, prepares the terminal, and learns the prompt from the answers.
 * @returns whether the device asked for a login: a console may be where the last user left it
 * @throws ServiceError AuthenticationFailed at the device's first refusal
 */
export async function awaitFirstPrompt(
  options: FirstPromptOptions,
  ctx: Context,
): Promise<{ asked: boolean }> {
  const { talk, timeoutMs } = options;
  const startedAt = performance.now();
  const { plugin } = talk.platform;
  const telnet = options.transport === "telnet";
  const answer = await inTime(options, () =>
    talk.say(
      {
        input: { kind: "nothing" },
        rules: [...(telnet ? telnetRules(options) : []), ...shellRules(options)],
        totalMs: timeoutMs,
        ...(telnet ? { refusal: plugin.telnet?.failed ?? failed, barred } : {}),
      },
      ctx,
    ),
  );
  if (answer.ended !== "prompt") throw refusedLogin(options, answer, ctx);
  // The prompts after the commands confirm the first one; without commands a RETURN does.
  const commands = plugin.prepare ?? [];
  const leftMs = Math.max(1, timeoutMs - (performance.now() - startedAt));
  // What it answers from here on begins with the echo of these: no reason why it ended.
  await inTime(options, () => prepare(talk, commands.length > 0 ? commands : [""], leftMs, ctx), "prepared");
  return { asked: answer.replies > 0 };
}

/** Sends commands in one write and ignores refusals. */
export async function prepare(
  talk: Conversation,
  lines: readonly string[],
  totalMs: number,
  ctx: Context,
): Promise<void> {
  await talk.say({ input: { kind: "lines", lines }, verifyEcho: false, learnsPrompt: true, totalMs }, ctx);
}

/** A password is typed only once: a second attempt would count as another failure and may lock the account. */
function telnetRules({ talk, password: reply = new Secret("") }: FirstPromptOptions): Rule[] {
  const { telnet } = talk.platform.plugin;
  return [
    { ask: telnet?.password ?? password, reply, most: 1, unended: true },
    { ask: telnet?.username ?? username, reply: "{username}", most: 1, unended: true },
    // Consoles of unconfigured devices.
    { ask: /initial configuration dialog\?\s*\[yes\/no\]:\s*$/i, reply: "no", most: 1 },
    { ask: /terminate autoinstall\?\s*\[yes\]:\s*$/i, reply: "yes", most: 1 },
  ];
}

/** Questions of the shell before its first prompt. */
function shellRules({ talk, password: secret = new Secret("") }: FirstPromptOptions): Rule[] {
  return (talk.platform.plugin.login ?? []).map(({ ask, reply, newline }) => ({
    ask,
    reply: reply === "{password}" ? secret : reply,
    ...(reply === "{password}" ? { most: 1 } : reply === "{username}" ? { most: 2 } : {}),
    ...(newline === false ? { newline } : {}),
  }));
}

async function inTime<T>(
  options: FirstPromptOptions,
  read: () => Promise<T>,
  after?: "prepared",
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind === "ConnectionLost") throw after === "prepared" ? error : withReason(error);
    throw ["ReadTimeout", "OutputTooLarge"].includes(error.kind) ? noPrompt(options, error) : error;
  }
}

/** A login shell that cannot start says why in its last lines. */
const reasonLines = 2;

function withReason(error: ServiceError): ServiceError {
  const { output } = error.detail ?? {};
  const said = typeof output === "string" ? output.split("\n") : [];
  const lines = said.filter((line) => line.trim() !== "");
  if (lines.length === 0) return error;
  // Each by itself: where outputs may not be told, short quotations still are.
  const words = lines.slice(-reasonLines).map((line) => JSON.stringify(line.trim()));
  const message = `${error.message} Before its prompt it said ${words.join(", ")}.`;
  return new ServiceError(error.kind, message, error.detail, { cause: error });
}

function noPrompt({ talk, transport, timeoutMs }: FirstPromptOptions, error: ServiceError): ServiceError {
  const { output = "" } = error.detail ?? {};
  const words = JSON.stringify(output);
  const seconds = Math.round(timeoutMs / 1000);
  return transport === "telnet" && talk.prompt() === undefined
    ? new ServiceError(
        "ConnectionTimeout",
        `The login did not end within ${seconds} seconds. Last received: ${words}`,
      )
    : new ServiceError(
        "ReadTimeout",
        `No prompt of ${talk.platform.plugin.name} was found within ${seconds} seconds: give it as connection_args.prompt. Last received: ${words}`,
      );
}

function refusedLogin(
  { talk, host, transport, username: user }: FirstPromptOptions,
  answer: Answer,
  ctx: Context,
): ServiceError {
  const { secrets } = talk.errorContext(ctx);
  if (answer.ended === "question" && answer.question.rule === newPassword) {
    const words = JSON.stringify(lastWords(answer.text, secrets));
    return new ServiceError(
      "AuthenticationFailed",
      `Authentication failed for ${user}@${host}: the device requires a new password before login. Last received: ${words}`,
    );
  }
  if (transport === "telnet") {
    const why = barred.exec(answer.text)?.[0];
    const because = why === undefined ? "" : `: the device says ${JSON.stringify(why)}`;
    return new ServiceError("AuthenticationFailed", `Authentication failed for ${user}@${host}${because}`);
  }
  const words = lastWords(answer.text, secrets);
  return new ServiceError(
    "AuthenticationFailed",
    `Authentication failed for ${user}: the device asks for the password again. Last received: ${JSON.stringify(words)}`,
  );
}
