/** Pushes configuration lines: enters the mode, sends, stops at a refusal, commits or discards, leaves, saves. */
import { ServiceError } from "../../../base/errors.ts";
import { endingOf } from "../../../base/text/text-blocks.ts";
import type { ConfigureOptions, ConfigureResult } from "../../../plugin/kit/cli.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Step } from "../../../plugin/platform.ts";
import { quietContext } from "../../../plugin/quiet-context.ts";
import type { Answer } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { refused, withOutcome } from "../exchange/errors.ts";
import { canPipeline } from "../exchange/pipeline.ts";
import type { Privilege } from "../prompt/privilege.ts";
import { asksSecret, pathBetween } from "../prompt/privilege.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { promptContextOf, returnTo } from "../prompt/prompt-context.ts";
import { neverEnds } from "./block-text.ts";
import { blockLength, textsIn } from "./blocks.ts";
import { type CandidateControl, createCandidate } from "./candidate.ts";
import { commitSteps, haveCommitted, limitsOf, refuseCommitOf } from "./commit.ts";
import { linesOf } from "./lines.ts";
import { makeLiteral } from "./literal-mode.ts";
import { pushLines } from "./push.ts";
import { lineLeft, stopped } from "./push-errors.ts";
import type { Save } from "./save.ts";
import { filled } from "./steps.ts";

const lineMs = 15_000;
const rescueMs = 1500;

interface Progress {
  readonly transcript: string[];
  /** The last line that the device accepted. */
  confirmed: string | undefined;
  readonly candidate: CandidateControl | undefined;
}

export type Configure = (
  texts: readonly string[],
  options: ConfigureOptions,
  ctx: Context,
) => Promise<ConfigureResult>;

interface Setting {
  /** The level to which every job of the session returns. */
  readonly home: string;
  readonly save: Save;
  readonly transport: "ssh" | "telnet";
}

export function createConfigure(
  talk: Conversation,
  privilege: Privilege,
  { home, save, transport }: Setting,
): Configure {
  const { platform } = talk;
  const { plugin } = platform;
  const inPlace = plugin.inPlace?.includes(home) === true;
  const config = inPlace ? undefined : plugin.config;
  const ofPlatform = inPlace ? undefined : plugin.candidate;

  async function configure(
    texts: readonly string[],
    options: ConfigureOptions,
    ctx: Context,
  ): Promise<ConfigureResult> {
    const enter =
      config === undefined
        ? undefined
        : (options.enterCommand ?? ownOf(options) ?? plugin.levels[config]?.enter);
    const lines = linesOf(texts, options.enterConfig ? enter : undefined);
    const steps = options.kept?.undo.candidate ?? ofPlatform;
    const commit = commitSteps(steps, options);
    const { values } = options.kept ?? {};
    const candidate =
      steps && createCandidate({ talk, privilege, config, candidate: steps, ...(values && { values }) });
    if (options.dryRun && candidate === undefined) {
      return { transcript: lines.join("\n"), committed: false, saved: false };
    }
    if (candidate !== undefined) refuseCommitOf(lines, options);
    checkWay(options);
    requireTypable(lines, ctx);
    await talk.announce(lines, ctx);
    const progress: Progress = { transcript: [], confirmed: undefined, candidate };
    try {
      return await push(lines, commit, options, progress, ctx);
    } catch (error) {
      throw await rescued(error, progress, ctx);
    }
  }

  /** What opens a candidate that ends with its session. */
  function ownOf({ dryRun }: ConfigureOptions): string | undefined {
    const own = ofPlatform?.own;
    return dryRun && typeof own === "string" ? own : undefined;
  }

  /** Before anything is sent. */
  function requireTypable(lines: readonly string[], ctx: Context): void {
    for (const [at, isText] of textsIn(lines, plugin.blocks).entries()) {
      const line = lines[at] ?? "";
      talk.requireTypable(line, isText ? "text" : "line", ctx);
      // The default of other platforms also matches lines that open nothing on some of them.
      const ending = isText || plugin.blocks === undefined ? undefined : endingOf(line, plugin.blocks);
      if (ending !== undefined && blockLength(lines, at, plugin.blocks) === 0) throw neverEnds(line, ending);
    }
  }

  async function push(
    lines: readonly string[],
    commit: readonly Step[],
    options: ConfigureOptions,
    progress: Progress,
    ctx: Context,
  ): Promise<ConfigureResult> {
    const { transcript, candidate } = progress;
    const start = talk.prompt();
    const note = (answers: readonly Answer[]) => transcript.push(...answers.map((answer) => answer.text));
    if (options.enterConfig && config !== undefined) {
      const { delayFactor, kept } = options;
      const ofWay = kept?.undo.enter && filled(kept.undo.enter, kept.values);
      const enterCommand = ofWay ?? options.enterCommand ?? ownOf(options);
      const entered = await privilege.to(config, ctx, { enterCommand, delayFactor });
      // Raising the privilege level is not part of the push.
      note(entered.slice(-1));
    }
    await makeLiteral(talk, lines, ctx);
    const stop = await pushLines(
      talk,
      lines,
      {
        errors:
          options.errors === undefined ? platform.errors : options.errors === false ? [] : [options.errors],
        pipeline: options.pipeline === true && canPipeline(plugin, transport, inConfig(), ctx),
        verifyEcho: options.verifyEcho,
        limits: limitsOf(options, lineMs),
        within: options.allowExit || !inConfig() ? undefined : config,
        said: (text) => transcript.push(text),
        confirmed(line) {
          progress.confirmed = line;
        },
      },
      ctx,
    );
    if (stop !== undefined) {
      await abandon(candidate, stop.kind === "left", ctx);
      throw stopped(stop, transcript.join(""));
    }
    const outcome = await settle(lines, commit, options, progress, ctx);
    const exits = options.exitConfig && options.kept?.undo.within === undefined;
    if (exits) note(await leave(ctx));
    const isSaveDue = options.save && !options.dryRun && options.kept === undefined && !waits(options, ctx);
    const saved = isSaveDue ? await save(options, candidate !== undefined, transcript, ctx) : undefined;
    if (exits) await backAt(start, lines, transcript, ctx);
    return {
      transcript: transcript.join(""),
      ...outcome,
      ...(saved === undefined ? {} : { saved }),
    };
  }

  /** A saved push would survive a device that reverts by rebooting. */
  function waits({ commit }: ConfigureOptions, ctx: Context): boolean {
    if (plugin.save === undefined || commit === false || commit?.confirmMinutes === undefined) return false;
    ctx.warn("nothing was saved: saving would make the unconfirmed commit permanent");
    return true;
  }

  /** With a candidate: shows the difference, then commits or discards. */
  async function settle(
    lines: readonly string[],
    commit: readonly Step[],
    options: ConfigureOptions,
    { transcript, candidate }: Progress,
    ctx: Context,
  ): Promise<Pick<ConfigureResult, "diff" | "committed">> {
    if (candidate === undefined) return {};
    if (config !== undefined && !inConfig()) {
      const committedByLines =
        options.kept === undefined && haveCommitted(lines, transcript.join(""), ofPlatform);
      if (committedByLines) return { committed: true };
      if (options.allowExit || options.commit === false || !options.enterConfig) {
        ctx.warn("the lines ended outside the configuration: nothing was committed for them");
        return { committed: false };
      }
      const left = {
        kind: "left" as const,
        line: "",
        output: "",
        prompt: talk.prompt()?.text ?? "",
        sent: [],
      };
      await abandon(candidate, true, ctx);
      throw lineLeft({ ...left, unsent: commit.map(({ send }) => send) }, transcript.join(""));
    }
    const { answers, failure, ...outcome } = await candidate.settle(options, commit, ctx);
    transcript.push(...answers.map((answer) => answer.text));
    if (failure === undefined) return outcome;
    await abandon(candidate, false, ctx);
    throw refused(
      `Commit failed with the following errors:\n\n${failure.output.trim()}`,
      failure.command,
      failure.output,
      { partial: transcript.join("") },
    );
  }

  /** Whether the session is in configuration mode or in a context of it. */
  function inConfig(): boolean {
    const at = talk.prompt()?.level;
    if (config === undefined || at === undefined) return false;
    return pathBetween(plugin, at, config)?.every(({ kind }) => kind === "leave") === true;
  }

  /**
   * Lines of a failed push must not take effect with a later commit, and the session must not stay in configuration
   * mode.
   */
  async function abandon(
    candidate: CandidateControl | undefined,
    left: boolean,
    ctx: Context,
  ): Promise<void> {
    // At a question, the device would take the next line as the answer.
    if (!talk.atPrompt()) {
      try {
        await talk.interrupt(ctx);
      } catch (error) {
        ctx.log.warn("question.not_left", { platform: plugin.name, reason: String(error) });
        return;
      }
    }
    if (candidate !== undefined) {
      // Lines that left the mode uncommitted would be committed by the next user.
      if (left && config !== undefined) await privilege.to(config, ctx);
      await candidate.discard(ctx);
    }
    await leave(ctx);
  }

  /** A push is complete only when the device is back at the context where it was found. */
  async function backAt(
    start: Prompt | undefined,
    lines: readonly string[],
    transcript: readonly string[],
    ctx: Context,
  ): Promise<void> {
    const now = talk.prompt();
    if (start === undefined || now === undefined) return;
    if (inConfig() && start.level !== now.level) await leave(ctx);
    if (await returnTo(talk, promptContextOf(plugin, start), ctx)) return;
    const at = talk.prompt()?.text ?? "";
    throw refused(
      `All lines were accepted, but the session ended at ${JSON.stringify(at)}, and cannot return to ${JSON.stringify(start.text)}: end the lines with a command that leaves it.`,
      lines.at(-1) ?? "",
      "",
      { prompt: at, partial: transcript.join("") },
    );
  }

  /**
   * After an error in the middle of a push, discards the candidate if the device still answers; otherwise others might
   * commit it. The session is closed in any case.
   */
  async function rescued(
    error: unknown,
    { transcript, confirmed, candidate }: Progress,
    ctx: Context,
  ): Promise<unknown> {
    // A stream that ends between two lines leaves the outcome as uncertain as one that ends within a line.
    const doubted = withOutcome(error, talk.errorContext(ctx), "");
    if (!(doubted instanceof ServiceError) || doubted.kind === "CommandError") return doubted;
    const detail = {
      ...doubted.detail,
      partial: transcript.join(""),
      ...(confirmed === undefined ? {} : { confirmed }),
    };
    const detailed = new ServiceError(doubted.kind, doubted.message, detail, { cause: error });
    const lost = talk.channel.closed() !== undefined || doubted.kind === "WorkerLost";
    if (lost || candidate === undefined || transcript.length === 0) return detailed;
    const { log, warn, output } = ctx;
    const signal = AbortSignal.timeout(rescueMs);
    const rescue = quietContext({ signal, remaining: () => rescueMs, log, warn, output });
    try {
      await talk.interrupt(rescue);
      await abandon(candidate, false, rescue);
    } catch (failure) {
      ctx.log.warn("candidate.not_discarded", { platform: plugin.name, reason: String(failure) });
    }
    return detailed;
  }

  /** A login that landed in the level of the configuration, such as root's, stays there: below it, the session ends. */
  async function leave(ctx: Context): Promise<readonly Answer[]> {
    const isHome =
      config !== undefined && pathBetween(plugin, home, config)?.every(({ kind }) => kind === "leave");
    const below =
      config === undefined ? (inPlace ? home : undefined) : isHome ? home : plugin.levels[config]?.from;
    const at = talk.prompt()?.level;
    if (below === undefined || at === undefined) return [];
    const steps = pathBetween(plugin, at, below);
    // A line such as `end` may have left the mode already.
    if (steps === undefined || steps.some((step) => step.kind === "enter")) return [];
    return privilege.to(below, ctx);
  }

  function checkWay(options: ConfigureOptions): void {
    const at = talk.prompt()?.level;
    if (options.enable || !options.enterConfig || config === undefined || at === undefined) return;
    const below = plugin.levels[config]?.from ?? at;
    const steps = pathBetween(plugin, at, below) ?? [];
    if (asksSecret(plugin, steps)) {
      throw refused(
        `Failed to enter configuration mode: the session is in "${at}" and enable_mode is false.`,
        plugin.levels[config]?.enter ?? "",
        "",
      );
    }
  }

  return configure;
}
