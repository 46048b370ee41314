/** The login dialogue over Telnet or a console server: user name, password, and who refused them. */
import { ServiceError } from "../base/errors.ts";
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import type { Verdict, View } from "./channel.ts";
import type { Conversation } from "./conversation.ts";
import { lastWords } from "./errors.ts";
import { silenceMs } from "./judge.ts";
import type { Credentials } from "./landing.ts";

const username = /(?:user ?name|login|user(?: id)?|account)\s*:\s*$/i;
const password = /pass(?:word|code|phrase)[^:\n]{0,40}:\s*$/i;
const failed =
  /(?:login (?:incorrect|invalid|failed)|authentication (?:failed|failure)|access denied|bad passwords?|invalid (?:user ?name|password|login)|% ?login invalid|permission denied|too many (?:login )?(?:attempts|failures))/i;

type Event = "username" | "password" | "prompt" | "failed" | "wake";

/** A console that shows nothing is woken by a RETURN. */
const wakeAfterMs = 2000;
const mostWakes = 2;

export interface LoginOptions {
  readonly talk: Conversation;
  readonly telnet: PlatformPlugin["telnet"];
  readonly credentials: Credentials;
  readonly host: string;
  readonly delayFactor: number;
  readonly timeoutMs: number;
}

/**
 * Ends where the device shows a prompt or has taken the password.
 * @returns whether a login was asked for: a console may stand where the last user left it.
 * @throws ServiceError AuthenticationFailed at the device's first refusal
 */
export async function login(options: LoginOptions, ctx: Context): Promise<{ asked: boolean }> {
  const { talk, credentials, delayFactor, timeoutMs } = options;
  const { channel, platform } = talk;
  const startedAt = performance.now();
  const typed = { username: 0, password: 0 };
  let wakes = 0;
  let seen = { bytes: -1, lines: -1 };
  for (;;) {
    const event = await channel.read<Event>(
      (view) => (channel.received() === seen.bytes ? wait() : look(view)),
      {
        signal: ctx.signal,
        totalMs: Math.max(1, timeoutMs - (performance.now() - startedAt)),
        maxBytes: 8 * 1024 * 1024,
        timedOut: () => silent(),
        tooLarge: () => silent(),
      },
    );
    if (event === "failed") throw refusedLogin(options);
    if (event === "prompt") return { asked: typed.password + typed.username > 0 };
    // Asked again: the first answer was not taken. A second try would help a lock-out only.
    if (event !== "wake" && typed[event] > 0) throw refusedLogin(options);
    // What was said before an answer is no reaction to it.
    channel.mark();
    seen = { bytes: 0, lines: 0 };
    if (event === "wake") {
      wakes++;
      channel.write(platform.newline, ctx.signal);
    } else {
      typed[event]++;
      const text = event === "username" ? credentials.username : (credentials.password?.reveal() ?? "");
      channel.write(text + platform.newline, ctx.signal);
    }
  }

  function wait(): Verdict<Event> {
    const asleep = typed.password === 0 && wakes < mostWakes;
    return asleep
      ? { value: "wake", settleMs: wakeAfterMs * Math.max(1, delayFactor), sure: false }
      : undefined;
  }

  function look(view: View): Verdict<Event> {
    const line = view.line();
    const doubt = silenceMs(channel.rttMs(), delayFactor);
    const event = (value: Event, settleMs: number): Verdict<Event> => ({
      value,
      settleMs,
      sure: value === "failed",
    });
    // A banner may speak of failed logins: the words count once a password was sent.
    const since = view.tail().slice(-1024);
    if (typed.password > 0 && (options.telnet?.failed ?? failed).test(since)) return event("failed", 0);
    if (view.lines() !== seen.lines || typed.username + typed.password === 0) {
      if ((options.telnet?.password ?? password).test(line)) return event("password", 0.05);
      if ((options.telnet?.username ?? username).test(line)) return event("username", 0.05);
    }
    if (platform.prompts.find(view.tail()) !== undefined) return event("prompt", doubt);
    // What is asked behind the login is the landing's to answer.
    const asked = line.trim() === "" ? "" : line;
    if (platform.plugin.login?.some(({ ask }) => ask.test(asked))) return event("prompt", doubt);
    return wait();
  }

  function silent(): ServiceError {
    const { secrets } = talk.trouble(ctx);
    const words = lastWords(channel.view.text(), secrets);
    return new ServiceError(
      "ConnectionTimeout",
      `The login did not end within ${Math.round(timeoutMs / 1000)} seconds. Last received: ${JSON.stringify(words)}`,
    );
  }
}

function refusedLogin({ credentials, host }: LoginOptions): ServiceError {
  return new ServiceError(
    "AuthenticationFailed",
    `Authentication failed for ${credentials.username}@${host}`,
  );
}
