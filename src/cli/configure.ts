/** Pushes configuration lines: enters, sends, stops at a refusal, commits or discards, leaves, saves. */
import { ServiceError } from "../base/errors.ts";
import type { ConfigureOptions, ConfigureResult } from "../plugin/cli.ts";
import type { Context } from "../plugin/kit.ts";
import type { Candidate, Step } from "../plugin/platform.ts";
import { type Answer, body } from "./answer.ts";
import { commitSteps, limitsOf, stepLimits, valuesOf } from "./commit.ts";
import type { Conversation } from "./conversation.ts";
import { refused, withOutcome } from "./errors.ts";
import type { Privilege } from "./privilege.ts";
import { needsSecret, pathBetween } from "./privilege.ts";
import { pushLines, type Refusal } from "./push.ts";
import { runSteps } from "./steps.ts";

const commitMs = 120_000;
const saveMs = 100_000;
const lineMs = 15_000;
const rescueMs = 1500;

interface Progress {
  readonly transcript: string[];
  /** The last line that the device has taken. */
  confirmed: string | undefined;
}

/** @param home the level to which every job of the session returns */
export function createConfigure(talk: Conversation, privilege: Privilege, home: string) {
  const { platform } = talk;
  const { plugin } = platform;
  const inPlace = plugin.inPlace?.includes(home) === true;
  const config = inPlace ? undefined : plugin.config;
  const candidate = inPlace ? undefined : plugin.candidate;
  // Below the platform's home where no password was given, beside it where a login landed elsewhere.
  const reaches = pathBetween(plugin, home, plugin.home)?.every(({ kind }) => kind === "enter") === true;
  const saveLevel = plugin.saveLevel ?? (reaches ? plugin.home : home);

  async function configure(
    given: readonly string[],
    options: ConfigureOptions,
    ctx: Context,
  ): Promise<ConfigureResult> {
    const lines = splitLines(given);
    const commit = commitSteps(candidate, options);
    if (options.dryRun && candidate === undefined) {
      return { transcript: lines.join("\n"), committed: false, saved: false };
    }
    checkWay(options);
    await talk.announce(lines, ctx);
    const progress: Progress = { transcript: [], confirmed: undefined };
    try {
      return await push(lines, commit, options, progress, ctx);
    } catch (error) {
      throw await rescued(error, progress, ctx);
    }
  }

  async function push(
    lines: readonly string[],
    commit: readonly Step[],
    options: ConfigureOptions,
    progress: Progress,
    ctx: Context,
  ): Promise<ConfigureResult> {
    const { transcript } = progress;
    const note = (answers: readonly Answer[]) => transcript.push(...answers.map((answer) => answer.text));
    if (options.enterConfig && config !== undefined) {
      const { enterCommand, delayFactor } = options;
      const steps = await privilege.to(config, ctx, { enterCommand, delayFactor });
      // Gaining privileges is no part of the push.
      note(steps.slice(-1));
    }
    const refusal = await pushLines(
      talk,
      lines,
      {
        errors:
          options.errors === undefined ? platform.errors : options.errors === false ? [] : [options.errors],
        pipeline: plugin.pipelines === true && !options.verifyEcho,
        verifyEcho: options.verifyEcho,
        limits: limitsOf(options, lineMs),
        said: (answer) => transcript.push(answer.text),
        confirmed(line) {
          progress.confirmed = line;
        },
      },
      ctx,
    );
    if (refusal !== undefined) {
      await abandon(ctx);
      throw lineRefused(refusal, transcript.join(""));
    }
    const outcome = await settle(options, commit, note, transcript, ctx);
    if (options.exitConfig) note(await leave(ctx));
    const saved = options.save && !options.dryRun ? await save(options, note, transcript, ctx) : undefined;
    return {
      transcript: transcript.join(""),
      ...outcome,
      ...(saved === undefined ? {} : { saved }),
    };
  }

  /** With a candidate: shows the difference, then commits or discards. */
  async function settle(
    options: ConfigureOptions,
    commit: readonly Step[],
    note: (answers: readonly Answer[]) => void,
    transcript: readonly string[],
    ctx: Context,
  ): Promise<Pick<ConfigureResult, "diff" | "committed">> {
    if (candidate === undefined) return {};
    note(await ascend(ctx));
    let diff: string | undefined;
    const wantsCommit = !options.dryRun && options.commit !== false;
    if (options.diff === true || !wantsCommit) {
      const answer = await talk.say(
        { input: { kind: "line", text: candidate.diff }, ...limitsOf(options, commitMs) },
        ctx,
      );
      note([answer]);
      diff = body(answer);
    }
    if (wantsCommit) {
      const { answers, failure } = await runSteps(
        talk,
        commit,
        {
          values: valuesOf(options),
          failed: [...candidate.failed, ...platform.errors],
          limits: stepLimits(options, commitMs),
        },
        ctx,
      );
      note(answers);
      if (failure !== undefined) {
        await abandon(ctx);
        throw refused(
          `Commit failed with the following errors:\n\n${failure.output.trim()}`,
          failure.command,
          failure.output,
          { partial: transcript.join("") },
        );
      }
    } else note((await runDiscard(candidate, ctx)).answers);
    return { committed: wantsCommit, ...(diff === undefined ? {} : { diff }) };
  }

  function runDiscard(candidate: Candidate, ctx: Context) {
    return runSteps(talk, candidate.discard, { failed: [], limits: { quietMs: commitMs } }, ctx);
  }

  /** Nothing of a push that failed may take effect by a later commit, and no session is left in the configuration. */
  async function abandon(ctx: Context): Promise<void> {
    // At a question the next line would be its answer.
    if (!talk.atPrompt()) {
      try {
        await talk.interrupt(ctx);
      } catch (error) {
        ctx.log.warn("question.not_left", { platform: plugin.name, reason: String(error) });
        return;
      }
    }
    if (candidate !== undefined) {
      await ascend(ctx);
      await runDiscard(candidate, ctx);
    }
    await leave(ctx);
  }

  /** A commit from within a context that is a level of its own would be one of that context only. */
  async function ascend(ctx: Context): Promise<readonly Answer[]> {
    const at = talk.prompt()?.level;
    if (config === undefined || at === undefined || at === config) return [];
    const inside = pathBetween(plugin, at, config)?.every(({ kind }) => kind === "leave");
    return inside ? privilege.to(config, ctx) : [];
  }

  /**
   * A push that broke off leaves its lines in a candidate that others may commit: they are discarded if the device
   * still answers. The session is closed in any case.
   */
  async function rescued(
    error: unknown,
    { transcript, confirmed }: Progress,
    ctx: Context,
  ): Promise<unknown> {
    // A wire that ends between two lines leaves the push as open as one that ends within.
    const doubted = withOutcome(error, talk.errorContext(ctx), "");
    if (!(doubted instanceof ServiceError) || doubted.kind === "CommandError") return doubted;
    const detail = {
      ...doubted.detail,
      partial: transcript.join(""),
      ...(confirmed === undefined ? {} : { confirmed }),
    };
    const told = new ServiceError(doubted.kind, doubted.message, detail, { cause: error });
    const lost = talk.channel.closed() !== undefined || doubted.kind === "WorkerLost";
    if (lost || candidate === undefined || transcript.length === 0) return told;
    const rescue: Context = {
      signal: AbortSignal.timeout(rescueMs),
      remaining: () => rescueMs,
      log: ctx.log,
      announce() {},
      warn: ctx.warn,
    };
    try {
      await talk.interrupt(rescue);
      await abandon(rescue);
    } catch (failure) {
      ctx.log.warn("candidate.not_discarded", { platform: plugin.name, reason: String(failure) });
    }
    return told;
  }

  async function leave(ctx: Context): Promise<readonly Answer[]> {
    const below = config === undefined ? (inPlace ? home : undefined) : plugin.levels[config]?.from;
    const at = talk.prompt()?.level;
    if (below === undefined || at === undefined) return [];
    const steps = pathBetween(plugin, at, below);
    // A line such as `end` may have left it already.
    if (steps === undefined || steps.some((step) => step.kind === "enter")) return [];
    return privilege.to(below, ctx);
  }

  /** False where the platform has nothing to save by. */
  async function save(
    options: ConfigureOptions,
    note: (answers: readonly Answer[]) => void,
    transcript: readonly string[],
    ctx: Context,
  ): Promise<boolean> {
    if (plugin.save === undefined) {
      if (candidate !== undefined) return options.commit !== false;
      ctx.log.warn("save.unknown", { platform: plugin.name });
      return false;
    }
    if (plugin.save.length === 0) return true;
    await privilege.to(saveLevel, ctx);
    const { answers, failure } = await runSteps(
      talk,
      plugin.save,
      { failed: platform.errors, limits: stepLimits(options, saveMs) },
      ctx,
    );
    note(answers);
    if (failure === undefined) return true;
    throw refused(
      `Save failed with the following errors:\n\n${failure.output.trim()}`,
      failure.command,
      failure.output,
      { partial: transcript.join("") },
    );
  }

  function checkWay(options: ConfigureOptions): void {
    const at = talk.prompt()?.level;
    if (options.enable || !options.enterConfig || config === undefined || at === undefined) return;
    const below = plugin.levels[config]?.from ?? at;
    const steps = pathBetween(plugin, at, below) ?? [];
    if (needsSecret(plugin, steps)) {
      throw refused(
        `Failed to enter configuration mode: the session stands in "${at}" and enable_mode is false.`,
        plugin.levels[config]?.enter ?? "",
        "",
      );
    }
  }

  return configure;
}

function lineRefused({ line, output, matched, sent }: Refusal, transcript: string): ServiceError {
  return refused(`Invalid input detected at command: ${line.trim()}`, line, output, {
    matched,
    sent: [...sent],
    partial: transcript,
  });
}

/** One line each: a text with line ends is several. */
export function splitLines(given: readonly string[]): string[] {
  const lines = given.flatMap((text) => text.split(/\r\n|\r|\n/)).map((line) => line.trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
}
