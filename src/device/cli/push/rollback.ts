/** Undo of a push: prepared before the push, removed once it is confirmed, run if its checks fail. */
import { randomBytes } from "node:crypto";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { comparableConfiguration, differingLines } from "../../../base/text/config-text.ts";
import type {
  CliSession,
  ConfigureOptions,
  Fingerprint,
  KeptConfiguration,
  OpenConfiguration,
} from "../../../plugin/kit/cli.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Running, Step, Undo } from "../../../plugin/platform.ts";
import { answerBody } from "../exchange/answer.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { refused } from "../exchange/errors.ts";
import { answerPattern } from "../platform.ts";
import { type Privilege, privilegedLevel } from "../prompt/privilege.ts";
import { linesToAdd, linesToRemove, missingEntries, parseConfiguration, targetOf } from "./config-diff.ts";
import type { Configure } from "./configure.ts";
import type { Save } from "./save.ts";
import { runSteps } from "./steps.ts";

const minuteMs = 60_000;
/** Replacing a whole configuration takes minutes, during which the device sends nothing. */
const stepMs = 300_000;
const showMs = 60_000;
/**
 * Time until the device reverts automatically: the rest of the job, one minute in which an undo may still run, and one
 * more.
 */
const marginMs = 120_000;
/** Lines depend on each other: removing some may allow removing others. */
const maxRounds = 5;

export interface RollbackTools {
  readonly talk: Conversation;
  readonly privilege: Privilege;
  readonly home: string;
  readonly configure: Configure;
  readonly save: Save;
}

export interface Rollback
  extends Pick<CliSession, "keep" | "leaveOpen" | "reopen" | "extend" | "confirm" | "undo"> {
  /** Called right after the push. */
  pushed(kept: KeptConfiguration, ctx: Context): Promise<void>;
  /** A push exists that lasts only while the configuration stays open. */
  held(): boolean;
  /** Adapts a show command to the current mode of the session. */
  worded(command: string): string;
}

export function createRollback({ talk, privilege, home, configure, save }: RollbackTools): Rollback {
  const { plugin } = talk.platform;
  const privileged = privilegedLevel(plugin, home);
  let holding: KeptConfiguration | undefined;

  function worded(command: string): string {
    const within = holding?.undo.within;
    if (within === undefined || command === "") return command;
    const before = within.slice(0, within.indexOf("{command}"));
    return command.startsWith(before) ? command : within.replace("{command}", () => command);
  }

  async function running({ show, ignore }: Running, ctx: Context): Promise<string> {
    const text = worded(show);
    if (holding === undefined) await privilege.to(privileged, ctx);
    const answer = await talk.say({ input: { kind: "line", text }, prepares: true, quietMs: showMs }, ctx);
    const body = answerBody(answer);
    const failed = talk.platform.errors.some((error) => error.test(body.slice(0, 500)));
    if (answer.ended !== "prompt" || failed || body.trim() === "")
      throw refused(`The device did not show its configuration (${JSON.stringify(text)}).`, text, body);
    return comparableConfiguration(body, ignore);
  }

  /** @throws ServiceError CommandError if a step failed */
  async function walk(
    steps: readonly Step[] | undefined,
    { undo, values }: KeptConfiguration,
    ctx: Context,
  ): Promise<string> {
    if (steps === undefined || steps.length === 0) return "";
    if (holding === undefined) await privilege.to(undo.level ?? privileged, ctx);
    const failed = [...((undo.candidate ?? plugin.candidate)?.failed ?? []), ...plugin.errors];
    const { answers, failure } = await runSteps(
      talk,
      steps,
      { values, failed, limits: { quietMs: stepMs } },
      ctx,
    );
    if (failure !== undefined)
      throw refused(
        `The device rejected ${JSON.stringify(failure.command)}: ${failure.output.trim().slice(-500)}`,
        failure.command,
        failure.output,
      );
    return answers.map(({ text }) => text).join("");
  }

  /** A failed cleanup is not an error: the push is already confirmed or undone. */
  async function clean(kept: KeptConfiguration, ctx: Context): Promise<void> {
    try {
      await walk(kept.undo.clean, kept, ctx);
      await privilege.to(home, ctx);
    } catch (error) {
      ctx.warn(`${kept.values.name} was left on the device: ${messageOf(error)}`);
    }
  }

  async function fits({ when, timer }: Undo, minutes: number, ctx: Context): Promise<boolean> {
    if (timer !== undefined && minutes > timer.mostMinutes) return false;
    if (when === undefined) return true;
    const input = { kind: "line", text: when.send } as const;
    return answerPattern(when.says).test(answerBody(await talk.say({ input, prepares: true }, ctx)));
  }

  async function keep(
    options: ConfigureOptions,
    ctx: Context,
    holdSeconds = 0,
  ): Promise<KeptConfiguration | undefined> {
    if (plugin.running === undefined || options.dryRun || options.commit === false) return undefined;
    const requestedMinutes = Math.max(options.commit?.confirmMinutes ?? 1, Math.ceil(holdSeconds / 60));
    const minutes = Math.max(requestedMinutes, Math.ceil((ctx.remaining() + marginMs) / minuteMs));
    const plainly = options.enterConfig && options.exitConfig && options.allowExit !== true;
    await privilege.to(privileged, ctx);
    for (const undo of plugin.undo ?? []) {
      const commits = undo.candidate !== undefined || undo.within !== undefined || undo.enter !== undefined;
      if (commits && (!plainly || options.enterCommand !== undefined)) continue;
      if (!(await fits(undo, minutes, ctx))) continue;
      const values = valuesOf(`patchbay${randomBytes(5).toString("hex")}`, minutes);
      // Keeps the dump of the running configuration out of the push's live output.
      const before = await running(plugin.running, { ...ctx, output() {} });
      const kept: KeptConfiguration = { undo, values, before, ...revertsOf(undo, minutes) };
      await walk(undo.before, kept, ctx).catch(async (error) => {
        await clean(kept, ctx);
        throw notKept(error);
      });
      await privilege.to(home, ctx);
      return kept;
    }
    return undefined;
  }

  async function pushed(kept: KeptConfiguration, ctx: Context): Promise<void> {
    const { undo, values } = kept;
    Object.assign(kept, revertsOf(undo, Number(values.minutes)));
    if (undo.within !== undefined) holding = kept;
    if (plugin.running !== undefined && (undo.way === "difference" || undo.alone === true))
      kept.after = await running(plugin.running, ctx);
  }

  async function leaveOpen(
    kept: KeptConfiguration,
    fingerprint: Fingerprint,
    ctx: Context,
  ): Promise<OpenConfiguration | undefined> {
    if (plugin.running === undefined || !outlivesSession(kept.undo)) return undefined;
    kept.after ??= await running(plugin.running, ctx);
    await privilege.to(home, ctx);
    return { name: kept.values.name, before: fingerprint(kept.before), after: fingerprint(kept.after) };
  }

  async function reopen({ name, ...marks }: OpenConfiguration, fingerprint: Fingerprint, ctx: Context) {
    const undo = plugin.undo?.find(outlivesSession);
    if (plugin.running === undefined || undo === undefined)
      throw refused("The platform leaves no push open.", "", "", { outcome: "none" });
    const kept = { undo, values: valuesOf(name, 0), before: "", marks: { ...marks, fingerprint } };
    const now = await running(plugin.running, ctx);
    await privilege.to(home, ctx);
    return {
      kept,
      running: isBefore(kept, now) ? ("before" as const) : isAfter(kept, now) ? "pushed" : "other",
    } as const;
  }

  async function extend(kept: KeptConfiguration, seconds: number, ctx: Context): Promise<string> {
    const { undo, values } = kept;
    if (undo.extend === undefined)
      throw refused("The platform does not start a timer anew.", "", "", { outcome: "none" });
    const minutes = Math.min(undo.timer?.mostMinutes ?? 1, Math.ceil((seconds * 1000) / minuteMs));
    const transcript = await walk(undo.extend, { ...kept, values: valuesOf(values.name, minutes) }, ctx);
    await privilege.to(home, ctx);
    return transcript;
  }

  async function confirm(kept: KeptConfiguration, options: ConfigureOptions, ctx: Context): Promise<string> {
    const transcript = await walk(kept.undo.keep, kept, ctx);
    holding = undefined;
    await privilege.to(home, ctx);
    await clean(kept, ctx);
    const saved: string[] = [];
    if (options.save)
      await save(options, plugin.candidate !== undefined, saved, ctx).catch((error) =>
        Promise.reject(notSaved(error)),
      );
    return transcript + saved.join("");
  }

  async function undo(kept: KeptConfiguration, ctx: Context): Promise<string> {
    const { running: showRunning } = plugin;
    if (showRunning === undefined)
      throw refused("The platform cannot show the running configuration.", "", "");
    const first = await running(showRunning, ctx);
    // An expired timer has already reverted the push, and a rollback would restore it.
    const transcript = isBefore(kept, first) ? "" : await back(kept, first, ctx);
    holding = undefined;
    const now = await running(showRunning, ctx);
    if (!isBefore(kept, now)) throw notAsBefore(kept, now, now === first);
    await clean(kept, ctx);
    return transcript;
  }

  async function back(kept: KeptConfiguration, now: string, ctx: Context): Promise<string> {
    const { undo: rollback, after, marks } = kept;
    if (rollback.alone === true && after === undefined && marks === undefined)
      throw notAsBefore(kept, now, false);
    if (rollback.alone === true && !isAfter(kept, now)) throw changedByOthers(now, after);
    // A change that lasts only while a configuration is open cannot be undone from another session.
    if (rollback.within !== undefined && holding === undefined) return "";
    if (rollback.back === undefined) return invert(kept, now, ctx);
    try {
      return await walk(rollback.back, kept, ctx);
    } catch (error) {
      // The comparison of the running configuration decides, not the device's message.
      if (!(error instanceof ServiceError) || error.kind !== "CommandError") throw error;
      ctx.warn(error.message);
      return "";
    }
  }

  /** Negates the lines of the push and restores those it replaced, until nothing changes any more. */
  async function invert(kept: KeptConfiguration, first: string, ctx: Context): Promise<string> {
    const showRunning = plugin.running;
    if (showRunning === undefined) return "";
    const target = targetOf(
      parseConfiguration(kept.before),
      parseConfiguration(kept.after ?? first),
      parseConfiguration(first),
    );
    const tries = new Map<string, number>();
    const transcripts: string[] = [];
    const push = async (pushes: readonly (readonly string[])[]) => {
      for (const lines of pushes) {
        const pushed = await configure(lines, inverting, ctx);
        transcripts.push(pushed.transcript);
      }
    };
    let now = first;
    for (let round = 0; round < maxRounds; round++) {
      const lacks = missingEntries(target, parseConfiguration(now));
      if (lacks.length > 0) {
        await push(linesToAdd(lacks));
        now = await running(showRunning, ctx);
      }
      const extra = missingEntries(parseConfiguration(now), target);
      if (extra.length === 0 && missingEntries(target, parseConfiguration(now)).length === 0) break;
      await push(linesToRemove(extra, "no", tries));
      now = await running(showRunning, ctx);
    }
    return transcripts.join("");
  }

  return {
    keep,
    leaveOpen,
    reopen,
    extend,
    pushed,
    confirm,
    undo,
    worded,
    held: () => holding !== undefined,
  };
}

/** Its timer runs in the device, whatever becomes of the session, and its name is all that ends it. */
const outlivesSession = ({ timer, within }: Undo) => timer !== undefined && within === undefined;

const isBefore = ({ marks, before }: KeptConfiguration, now: string) =>
  marks === undefined ? now === before : marks.fingerprint(now) === marks.before;
const isAfter = ({ marks, after }: KeptConfiguration, now: string) =>
  marks === undefined ? now === after : marks.fingerprint(now) === marks.after;

const valuesOf = (name: string, minutes: number) => ({
  name,
  minutes: String(minutes),
  seconds: String(minutes * 60),
  time: `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`,
});

/** Ignores the answers to single lines: the comparison of the running configuration decides. */
const inverting: ConfigureOptions = {
  enterConfig: true,
  exitConfig: true,
  allowExit: true,
  verifyEcho: true,
  errors: false,
  save: false,
  dryRun: false,
  enable: true,
};

/** When the device automatically reverts a commit made now. */
function revertsOf({ timer }: Undo, minutes: number): { revertsAt?: number } {
  return timer === undefined ? {} : { revertsAt: Date.now() + minutes * minuteMs };
}

const two = (count: number) => String(count).padStart(2, "0");

function notKept(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.kind !== "CommandError") return error;
  return new ServiceError(
    "CommandError",
    `The rollback could not be prepared, so nothing was pushed: ${error.message}`,
    { ...error.detail, outcome: "none" },
    { cause: error },
  );
}

function notSaved(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.kind !== "CommandError") return error;
  return new ServiceError(
    "CommandError",
    `The configuration is active but was not saved: ${error.message}`,
    { ...error.detail, outcome: "none" },
    { cause: error },
  );
}

/** @param after unknown for a push of another session */
function changedByOthers(now: string, after: string | undefined): ServiceError {
  const lines = after === undefined ? "" : `:\n${differingLines(now, after)}`;
  return refused(
    `The configuration was changed by others since the push, and rolling back the last commit would undo their change${lines}`,
    "",
    "",
    { outcome: "none" },
  );
}

/** @param stands nothing was undone */
function notAsBefore(kept: KeptConfiguration, now: string, stands: boolean): ServiceError {
  const outcome = stands ? "The push was not rolled back" : "The push was rolled back only in part";
  const { revertsAt } = kept;
  const late =
    revertsAt === undefined || revertsAt < Date.now()
      ? ""
      : ` The device reverts it by itself by ${new Date(revertsAt).toISOString()}.`;
  const lines = kept.marks === undefined ? ` in\n${differingLines(now, kept.before)}` : ".";
  return refused(
    `${outcome}: the running configuration differs from the one before it${lines}${late}`,
    "",
    "",
    { outcome: stands && late === "" ? "none" : "unknown" },
  );
}
