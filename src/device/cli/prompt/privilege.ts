/** Changes privilege levels by the shortest path, with the enable password, and detects refusals at once. */
import { ServiceError } from "../../../base/errors.ts";
import { Secret } from "../../../base/secrets/secret.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { PlatformPlugin, PrivilegeLevel, Question } from "../../../plugin/platform.ts";
import { type Answer, answerBody } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { lastWords, refused } from "../exchange/errors.ts";
import type { ExchangeLimits, Rule } from "../exchange/exchange.ts";
import { anyQuestions, unanswered } from "../exchange/questions.ts";
import { answerPattern } from "../platform.ts";

export interface Step {
  readonly kind: "enter" | "leave";
  /** The level that is entered or left. */
  readonly level: string;
  /** The level after the step. */
  readonly to: string;
  readonly send: string;
}

/** The chain of levels from a level down to the login level, starting with itself. */
function chain(platform: Pick<PlatformPlugin, "levels">, level: string): string[] {
  const levels = [level];
  for (let at = platform.levels[level]?.from; at !== undefined; at = platform.levels[at]?.from)
    levels.push(at);
  return levels;
}

/** The steps from one level to another; undefined if there is no path. */
export function pathBetween(
  platform: Pick<PlatformPlugin, "levels">,
  from: string,
  to: string,
): readonly Step[] | undefined {
  const down = chain(platform, from);
  const up = chain(platform, to);
  const meet = down.find((level) => up.includes(level));
  if (meet === undefined) return undefined;
  const steps: Step[] = [];
  for (const level of down.slice(0, down.indexOf(meet))) {
    const { leave, from: below } = platform.levels[level] ?? {};
    if (leave === undefined || below === undefined) return undefined;
    steps.push({ kind: "leave", level, to: below, send: leave });
  }
  for (const level of up.slice(0, up.indexOf(meet)).reverse()) {
    const { enter } = platform.levels[level] ?? {};
    if (enter === undefined) return undefined;
    steps.push({ kind: "enter", level, to: level, send: enter });
  }
  return steps;
}

/** The level for commands that need privileges. The session's home may be below or beside the platform's home. */
export function privilegedLevel(platform: Pick<PlatformPlugin, "levels" | "home">, home: string): string {
  // Below if no password was given; beside if the login landed elsewhere.
  const reaches = pathBetween(platform, home, platform.home)?.every(({ kind }) => kind === "enter") === true;
  return reaches ? platform.home : home;
}

/** Whether a path requires a password. */
export function asksSecret(platform: Pick<PlatformPlugin, "levels">, steps: readonly Step[]): boolean {
  return steps.some((step) => step.kind === "enter" && platform.levels[step.level]?.asks !== undefined);
}

/** Whether it requires one that the caller must supply. */
export function needsSecret(platform: Pick<PlatformPlugin, "levels">, steps: readonly Step[]): boolean {
  const without = ({ level }: Step) => platform.levels[level]?.withoutSecret !== undefined;
  return asksSecret(
    platform,
    steps.filter((step) => !without(step)),
  );
}

export interface Privilege {
  /**
   * Goes to a level; returns the answers on the way.
   * @throws ServiceError AuthenticationFailed for a wrong or missing enable password, CommandError for another refusal
   */
  to(level: string, ctx: Context, options?: TransitionOptions): Promise<readonly Answer[]>;
}

export interface TransitionOptions {
  /** Replaces the platform's command for entering the level. */
  readonly enterCommand?: string;
  readonly delayFactor?: number;
}

/** Nested configuration contexts are left one by one. */
const deepestContext = 12;

/** Refusals common to many systems; a platform's own `refused` is tried first. */
const commonRefusal = answerPattern(
  /^\s*% ?(?:bad (?:secrets|passwords?)|access denied|error in authentication|no password set)/i,
);

export interface PrivilegeSecrets {
  /** Enable password. */
  readonly secret?: Secret;
  /** Login password. */
  readonly password?: Secret;
}

export function createPrivilege(talk: Conversation, { secret, password }: PrivilegeSecrets): Privilege {
  const { plugin } = talk.platform;

  async function to(
    level: string,
    ctx: Context,
    options: TransitionOptions = {},
  ): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    // Checks the prompt after each step: a step that led elsewhere is not repeated blindly.
    for (let tries = 0; tries <= Object.keys(plugin.levels).length * 2 + deepestContext; tries++) {
      const at = talk.prompt()?.level;
      if (at === undefined) throw new ServiceError("DriverError", "The level of the session is not known.");
      if (at === level) return answers;
      const step = pathBetween(plugin, at, level)?.[0];
      if (step === undefined) {
        throw new ServiceError("DriverError", `No transition leads from the level "${at}" to "${level}".`);
      }
      const command = step.kind === "enter" && step.level === level ? options.enterCommand : undefined;
      answers.push(await take(command === undefined ? step : { ...step, send: command }, at, ctx, options));
    }
    throw new ServiceError("DriverError", `The level "${level}" was not reached.`);
  }

  async function take(
    step: Step,
    at: string,
    ctx: Context,
    { delayFactor }: TransitionOptions,
  ): Promise<Answer> {
    const definition = plugin.levels[step.level];
    if (definition === undefined) throw new ServiceError("DriverError", `There is no level "${step.level}".`);
    const before = talk.prompt();
    const without = step.kind === "enter" && secret === undefined ? definition.withoutSecret : undefined;
    const limits = delayFactor === undefined ? {} : { delayFactor };
    const say = (text: string) => ask(text, step, definition, limits, ctx);
    const answer = await say(without?.enter ?? step.send);
    if (answer.ended === "question") {
      const isPassword = answer.question.rule.ask === definition.asks || /pass/i.test(answer.question.line);
      throw isPassword ? passwordRefused(step, answer, ctx) : unanswered(answer, step.send);
    }
    const now = talk.prompt();
    if (now?.level === step.to) {
      if (step.kind !== "enter" || definition.also === undefined) return answer;
      const second = await say(definition.also);
      if (second.ended === "question") throw passwordRefused(step, second, ctx);
      return answer;
    }
    const output = answerBody(answer);
    // A step may overshoot (`end` leaves all of the configuration) or stop short (`exit` leaves one context); only an
    // unchanged prompt is a refusal.
    const hasMoved = now?.text !== before?.text || now?.above !== before?.above;
    if (now?.level !== at || (step.kind === "leave" && hasMoved)) return answer;
    if (step.kind === "enter" && isPasswordRefusal(definition, output))
      throw passwordRefused(step, answer, ctx);
    throw notReached(step, output);
  }

  function ask(
    text: string,
    { kind }: Step,
    level: PrivilegeLevel,
    limits: ExchangeLimits,
    ctx: Context,
  ): Promise<Answer> {
    const levelRules = kind === "enter" ? enterRules(level) : questionRules(level.leaveQuestions);
    return talk.say(
      {
        input: { kind: "line", text },
        prepares: kind === "enter",
        rules: [...levelRules, ...anyQuestions],
        levels: Object.keys(plugin.levels),
        ...limits,
      },
      ctx,
    );
  }

  function enterRules(level: PrivilegeLevel): Rule[] {
    const rules = questionRules(plugin.questions);
    if (secret === undefined && level.withoutSecret !== undefined) {
      return [...level.withoutSecret.questions.map(onceRule), ...rules];
    }
    if (level.asks === undefined) return rules;
    return [{ ask: level.asks, most: 1, ...(secret === undefined ? {} : { reply: secret }) }, ...rules];
  }

  /** If the device repeats the question, the answer was wrong. */
  function onceRule({ ask, reply }: Question): Rule {
    return { ask, most: 1, reply: reply === "{password}" ? (password ?? new Secret("")) : reply };
  }

  function passwordRefused(step: Step, answer: Answer, ctx: Context): ServiceError {
    const { secrets } = talk.errorContext(ctx);
    const words = lastWords(answerBody(answer), secrets);
    const why =
      secret === undefined
        ? "the device asks for a password, but no `secret` was given"
        : "the device refused the password given as `secret`";
    return new ServiceError(
      "AuthenticationFailed",
      `Failed to enter enable mode: ${why}.${words === "" ? "" : ` The device said: ${JSON.stringify(words)}`}`,
      { command: step.send },
    );
  }

  function notReached(step: Step, output: string): ServiceError {
    const failure =
      step.level === plugin.config
        ? `Failed to ${step.kind === "enter" ? "enter" : "exit"} configuration mode`
        : `Failed to ${step.kind} the level "${step.level}"`;
    const words = output.trim();
    return refused(`${failure}${words === "" ? "." : `: ${words.slice(-200)}`}`, step.send, output);
  }

  return { to };
}

function isPasswordRefusal(level: PrivilegeLevel, output: string): boolean {
  return (
    (level.refused !== undefined && answerPattern(level.refused).test(output)) || commonRefusal.test(output)
  );
}

export function questionRules(questions: readonly Question[] | undefined): Rule[] {
  return (questions ?? []).map(({ ask, reply, newline }) => ({
    ask,
    reply,
    ...(newline === false ? { newline } : {}),
  }));
}
