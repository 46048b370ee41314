/** The checks of one phase: each command once, each check judged on what it gave. */

import { abortReason } from "../base/deadline.ts";
import { type ErrorKind, toErrorData } from "../base/errors.ts";
import { beginningOf, expectedOf, judge, shortened } from "../checks/judge.ts";
import { isComputed, type PlannedCheck } from "../checks/plan.ts";
import type { CheckResult } from "../model/checks.ts";
import type { Context } from "../plugin/index.ts";
import type { TaskQuestion } from "../protocol/message-port.ts";
import type { TaskMask } from "./masking.ts";

export type AskMain = (question: TaskQuestion) => Promise<unknown>;

export interface CheckRunOptions {
  /** Runs one command in the session of the job. */
  query(command: string): Promise<unknown>;
  readonly ask: AskMain;
  readonly mask: TaskMask;
  readonly ctx: Context;
  /** What the session found out. */
  readonly platform: string | undefined;
}

/** Values before the push, by the place of their check in `after`. */
export type ValuesBefore = Map<number, { readonly value: unknown }>;

/** What was obtained of a command: an output, or why there is none. */
type Obtained = { readonly output: unknown } | { readonly fault: string };

/** The device or a template has answered, with something else: the check has failed, and the session goes on. */
const answers: ReadonlySet<ErrorKind> = new Set([
  ...(["CommandError", "ReadTimeout", "ParseError", "RenderError", "OutputTooLarge", "NotFound"] as const),
  ...(["TemplateError", "TemplateTimeout", "TemplateLimit", "Validation"] as const),
]);

/**
 * @param results grows as checks are judged: what was found stays known when a later one breaks the session
 * @param stopAtFailure the checks behind a failed one are not run
 * @throws what ends the job: a lost session, a cancel, the end of the time
 */
export async function runChecks(
  checks: readonly PlannedCheck[],
  before: ValuesBefore,
  results: CheckResult[],
  stopAtFailure: boolean,
  { query, ask, mask, ctx, platform }: CheckRunOptions,
): Promise<void> {
  const outputs = new Map<string, Obtained>();

  async function outputOf(command: string): Promise<Obtained> {
    const known = outputs.get(command);
    if (known) return known;
    const obtained = await orFault(async () => ({ output: mask.plain(await query(command)) ?? null }));
    outputs.set(command, obtained);
    return obtained;
  }

  async function orFault<T>(work: () => Promise<T>): Promise<T | { fault: string }> {
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
    try {
      return await work();
    } catch (error) {
      const { kind, message } = toErrorData(mask.error(error), "DriverError");
      if (ctx.signal.aborted || !answers.has(kind)) throw error;
      return { fault: `${kind}: ${message}` };
    }
  }

  async function computedOf(
    planned: PlannedCheck,
    output: unknown,
  ): Promise<{ value: unknown } | { fault: string }> {
    if (!isComputed(planned.check)) return { value: output };
    const { phase, at } = planned;
    const found = platform === undefined ? {} : { platform };
    return orFault(async () => {
      const json = await ask({ about: "value", phase, at, output, ...found });
      return { value: typeof json === "string" ? (JSON.parse(json) as unknown) : null };
    });
  }

  async function look(planned: PlannedCheck): Promise<CheckResult> {
    const { check, measured, at } = planned;
    const obtained = await outputOf(check.command);
    const given = "fault" in obtained ? obtained : await computedOf(planned, obtained.output);
    const output = "output" in obtained ? { output: beginningOf(obtained.output) } : {};
    const head = {
      ...(check.name === undefined ? {} : { name: check.name }),
      command: check.command,
    };
    const expected = measured ? null : expectedOf(check);
    if ("fault" in given)
      return { ...head, ok: false, value: null, expected, message: given.fault, ...output };
    if (measured) {
      before.set(at, given);
      const message = "Its value before the push.";
      return { ...head, ok: null, value: shortened(given.value), expected, message, ...output };
    }
    const { ok, value, message } = judge(check, given.value, before.get(at));
    return { ...head, ok, value, expected, message, ...output };
  }

  for (const planned of checks) {
    const failed = stopAtFailure && results.some(({ ok }) => ok === false);
    results.push(shown(failed ? notRun(planned) : await look(planned), mask));
  }
}

function notRun({ check }: PlannedCheck): CheckResult {
  return {
    ...(check.name === undefined ? {} : { name: check.name }),
    command: check.command,
    ok: null,
    value: null,
    expected: expectedOf(check),
    message: "Not run: a check before it failed.",
  };
}

/** What the request says of itself may hold a secret, too. */
function shown(
  { name, command, value, expected, message, output, ...rest }: CheckResult,
  mask: TaskMask,
): CheckResult {
  return {
    ...(name === undefined ? {} : { name: mask.text(name) }),
    command: mask.text(command),
    ...rest,
    value: mask.plain(value) ?? null,
    expected: mask.plain(expected) ?? null,
    message: mask.text(message),
    ...(output === undefined ? {} : { output }),
  };
}
