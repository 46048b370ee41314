/** Runs the steps of a platform's save, commit and discard, and reports whether they succeeded. */
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Step } from "../../../plugin/platform.ts";
import { type Answer, answerBody } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import type { Exchange, ExchangeLimits } from "../exchange/exchange.ts";
import { anyQuestions } from "../exchange/questions.ts";
import { answerPattern } from "../platform.ts";
import { questionRules } from "../prompt/privilege.ts";

export interface StepFailure {
  readonly command: string;
  readonly output: string;
}

/** A command with the values of this push filled in. */
export function filled(command: string, values: Readonly<Record<string, string>> | undefined): string {
  return command.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values?.[name] ?? whole);
}

export interface StepsOptions {
  readonly values?: Readonly<Record<string, string>>;
  /** Failure patterns besides the step's own `failed`. */
  readonly failed: readonly RegExp[];
  readonly limits: ExchangeLimits & Pick<Exchange, "commits">;
}

/** Stops at the first failed step. */
export async function runSteps(
  talk: Conversation,
  steps: readonly Step[],
  { values, failed, limits }: StepsOptions,
  ctx: Context,
): Promise<{ answers: readonly Answer[]; failure?: StepFailure }> {
  const answers: Answer[] = [];
  const { plugin } = talk.platform;
  for (const step of steps) {
    const text = filled(step.send, values);
    const answer = await talk.say(
      {
        input: { kind: "line", text },
        rules: [...questionRules([...(step.questions ?? []), ...(plugin.questions ?? [])]), ...anyQuestions],
        levels: Object.keys(plugin.levels),
        ...limits,
      },
      ctx,
    );
    answers.push(answer);
    const output = answerBody(answer);
    const bad = [...(step.failed ? [step.failed] : []), ...failed].some((pattern) =>
      answerPattern(pattern).test(output),
    );
    const good = step.success === undefined || answerPattern(step.success).test(output);
    if (bad || !good || answer.ended === "question") return { answers, failure: { command: text, output } };
  }
  return { answers };
}
