/**
 * The candidate configuration of a push: reads the difference, commits or discards, and fetches the reason of a failed
 * commit before discarding.
 */
import type { ConfigureOptions, ConfigureResult } from "../../../plugin/kit/cli.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Candidate, Step } from "../../../plugin/platform.ts";
import { type Answer, answerBody } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { type Privilege, pathBetween } from "../prompt/privilege.ts";
import { limitsOf, stepLimits, valuesOf } from "./commit.ts";
import { runSteps, type StepFailure } from "./steps.ts";

const commitMs = 120_000;

export interface Settled extends Pick<ConfigureResult, "diff" | "committed"> {
  readonly answers: readonly Answer[];
  /** The commit failed; the candidate still exists. */
  readonly failure?: StepFailure;
}

export interface CandidateOptions {
  readonly talk: Conversation;
  readonly privilege: Privilege;
  /** Level in which the candidate is edited. */
  readonly config: string | undefined;
  readonly candidate: Candidate;
  /** Values for the placeholders of its commands. */
  readonly values?: Readonly<Record<string, string>>;
}

export type CandidateControl = ReturnType<typeof createCandidate>;

export function createCandidate({ talk, privilege, config, candidate, values = {} }: CandidateOptions) {
  async function settle(options: ConfigureOptions, commit: readonly Step[], ctx: Context): Promise<Settled> {
    const answers = [...(await ascend(ctx))];
    let diff: string | undefined;
    const wantsCommit = !options.dryRun && options.commit !== false;
    const isWanted = options.diff === true || !wantsCommit;
    if (isWanted || ctx.difference !== undefined) {
      const limits = limitsOf(options, commitMs);
      const answer = await talk.say({ input: { kind: "line", text: candidate.diff }, ...limits }, ctx);
      const body = answerBody(answer);
      if (talk.platform.errors.every((pattern) => !pattern.test(body))) ctx.difference?.(body);
      if (isWanted) {
        answers.push(answer);
        diff = body;
      }
    }
    const difference = diff === undefined ? {} : { diff };
    if (!wantsCommit) {
      answers.push(...(await runDiscard(ctx)));
      return { answers, committed: false, ...difference };
    }
    const done = await runSteps(
      talk,
      commit,
      {
        values: valuesOf(options),
        failed: [...candidate.failed, ...talk.platform.plugin.errors],
        limits: { ...stepLimits(options, commitMs), commits: true },
      },
      ctx,
    );
    answers.push(...done.answers);
    if (done.failure === undefined) return { answers, committed: true, ...difference };
    const reason = talk.atPrompt() ? await explain(ctx) : undefined;
    if (reason !== undefined) answers.push(reason);
    const { command, output } = done.failure;
    const why = reason === undefined ? "" : answerBody(reason).trim();
    const failure = { command, output: why === "" ? output : `${output.trim()}\n${why}\n` };
    return { answers, failure, ...difference };
  }

  /** Some systems give the reason only on request, and only while the candidate exists. */
  async function explain(ctx: Context): Promise<Answer | undefined> {
    const text = candidate.explain;
    if (text === undefined) return undefined;
    return talk.say({ input: { kind: "line", text }, quietMs: commitMs }, ctx);
  }

  /** Lines of a failed push must not take effect with a later commit. */
  async function discard(ctx: Context): Promise<void> {
    await ascend(ctx);
    await runDiscard(ctx);
  }

  async function runDiscard(ctx: Context): Promise<readonly Answer[]> {
    const limits = { quietMs: commitMs };
    return (await runSteps(talk, candidate.discard, { values, failed: [], limits }, ctx)).answers;
  }

  /** A commit typed in a context that is a level of its own would commit that context only. */
  async function ascend(ctx: Context): Promise<readonly Answer[]> {
    const at = talk.prompt()?.level;
    if (config === undefined || at === undefined || at === config) return [];
    const inside = pathBetween(talk.platform.plugin, at, config)?.every(({ kind }) => kind === "leave");
    return inside ? privilege.to(config, ctx) : [];
  }

  return { settle, discard };
}
