/**
 * Plans the order of authentication attempts from the target's credentials and the server's methods. Never tries a
 * secret twice.
 */

import type { AnyAuthMethod, ParsedKey, Prompt } from "../ssh2.ts";
import { type LoginSecrets, replyTo, shownQuestion } from "./questions.ts";

/** Secrets in clear text; needed for the duration of a login. */
export interface Credentials extends LoginSecrets {
  /** Explicitly named keys. */
  readonly keys: readonly ParsedKey[];
  /** Keys found in key folders; tried after the agent. */
  readonly found: readonly ParsedKey[];
  /** Why some keys could not be read. */
  readonly unusable: readonly string[];
  /** Reasons why the server may have rejected a certificate, each as part of a sentence. */
  readonly doubts: readonly string[];
  readonly keysFirst: boolean;
  readonly asksInShell: boolean;
  /** Path of the agent's socket. */
  readonly agent: string | undefined;
}

export interface LoginPlan {
  /** Called by ssh2 after each server response: returns the next attempt, or false if there is none. */
  next(
    accepted: readonly string[] | null,
    partialSuccess: boolean | null,
    go: (attempt: AnyAuthMethod | false) => void,
  ): void;
  /** Whether any attempt was made. */
  begun(): boolean;
  /** The attempts in order, and the methods the server still accepts. */
  story(): { tried: readonly string[]; accepts: readonly string[]; unusable?: readonly string[] };
  readonly doubts: readonly string[];
}

type Method = "password" | "publickey" | "agent" | "keyboard-interactive" | "none";

interface Attempt {
  readonly method: Method;
  readonly config: AnyAuthMethod;
}

/** A server that never stops prompting is stalling us. */
const questionRounds = 10;
const attemptsAtMost = 30;
/** OpenSSH disconnects after six failures; found keys leave two of them for the password. */
const proofsAtMost = 4;

/**
 * @param begin called at the first attempt
 * @param giveUp called if the server prompts without end, or asks a question that has no answer
 */
export function planLogin(
  credentials: Credentials,
  begin: () => void,
  giveUp: (question?: string) => void,
): LoginPlan {
  const attempts = attemptsOf(credentials, giveUp);
  const spent = new Set<Attempt>();
  const tried: string[] = [];
  let accepts: readonly string[] = [];
  let last: Attempt | undefined;
  let passwordWasWrong = false;

  const isOpen = (attempt: Attempt, accepted: readonly string[] | null) => {
    if (spent.has(attempt)) return false;
    // Sending the same password again would count as a second failure and may lock the account.
    if (attempt.method === "keyboard-interactive" && passwordWasWrong) return false;
    // Some switches accept `none` and ask for the login in the shell; they accept no other method.
    if (attempt.method === "none")
      return accepted === null || accepted.every((method) => method === "none" || method === "");
    if (accepted === null) return true;
    return accepted.includes(attempt.method === "agent" ? "publickey" : attempt.method);
  };
  return {
    next(accepted, partialSuccess, go) {
      if (last === undefined) begin();
      accepts = accepted ?? [];
      if (last !== undefined && partialSuccess) {
        // One of several factors succeeded: attempts that failed because they came too early may succeed now.
        const succeeded = last;
        for (const attempt of attempts) if (attempt.method !== succeeded.method) spent.delete(attempt);
      } else if (last?.method === "password" && accepted?.includes("password")) {
        passwordWasWrong = true;
      }
      last =
        tried.length < attemptsAtMost ? attempts.find((attempt) => isOpen(attempt, accepted)) : undefined;
      if (last === undefined) return go(false);
      spent.add(last);
      tried.push(last.method);
      go(last.config);
    },
    begun: () => last !== undefined,
    doubts: credentials.doubts,
    story() {
      const { unusable } = credentials;
      return unusable.length > 0 ? { tried, accepts, unusable } : { tried, accepts };
    },
  };
}

/**
 * Order: named keys, agent, found keys. The password goes first unless `keysFirst` is set: querying the server's
 * methods would cost a round trip.
 */
function attemptsOf(credentials: Credentials, giveUp: (question?: string) => void): readonly Attempt[] {
  const { username, password, keys, found, agent, keysFirst, asksInShell } = credentials;
  const words: Attempt[] = [];
  if (password !== undefined)
    words.push({ method: "password", config: { type: "password", username, password } });
  const byKey = (key: ParsedKey): Attempt => {
    // The types of ssh2 allow only a key's text; passing the parsed key saves a second decryption (0.3 s of bcrypt).
    const config = { type: "publickey", username, key } as unknown as AnyAuthMethod;
    return { method: "publickey", config };
  };
  const proofs = keys.map(byKey);
  if (agent !== undefined) proofs.push({ method: "agent", config: { type: "agent", username, agent } });
  const guesses = found.map(byKey);
  const room = password === undefined ? guesses.length : Math.max(0, proofsAtMost - proofs.length);
  const [first, last] = keysFirst ? [proofs, words] : [words, proofs];
  const between = keysFirst ? guesses.splice(0, room) : [];
  const none: Attempt = { method: "none", config: { type: "none", username } };
  const hasAnswers = credentials.otp !== undefined || credentials.answers.length > 0;
  const attempts = [...(asksInShell ? [none] : []), ...first, ...between, ...last];
  if (password !== undefined || hasAnswers) {
    const prompt = answerWith(credentials, giveUp);
    const asked: Attempt = {
      method: "keyboard-interactive",
      config: { type: "keyboard-interactive", username, prompt },
    };
    // With a second factor the password method can only fail, which would count against the account.
    const [password] = words;
    if (hasAnswers && password !== undefined) attempts.splice(attempts.indexOf(password), 0, asked);
    else attempts.push(asked);
  }
  attempts.push(...guesses);
  if (!asksInShell) attempts.push(none);
  return attempts;
}

function answerWith(secrets: LoginSecrets, giveUp: (question?: string) => void) {
  let rounds = 0;
  return (
    _name: string,
    _text: string,
    _lang: string,
    prompts: Prompt[],
    finish: (answers: string[]) => void,
  ) => {
    if (++rounds > questionRounds) return giveUp();
    const replies: string[] = [];
    for (const prompt of prompts) {
      const reply = replyTo(prompt, secrets);
      // Nothing is sent of a round that cannot be answered whole.
      if (reply === undefined) return giveUp(shownQuestion(prompt));
      replies.push(reply);
    }
    finish(replies);
  };
}
