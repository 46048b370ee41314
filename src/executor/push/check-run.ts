/** Runs the checks of one phase: each command once, each check evaluated against its output. */

import type { CheckResult } from "../../api/jobs/checks.ts";
import { type ErrorKind, type ServiceError, toErrorData } from "../../base/errors.ts";
import { abortReason } from "../../base/time/deadline.ts";
import { beginningOf, expectedOf, judge, shortened } from "../../checks/judge.ts";
import { isComputed, type PlannedCheck } from "../../checks/plan.ts";
import { measuredAlone } from "../../checks/report.ts";
import type { Context } from "../../plugin/index.ts";
import type { TaskQuestion } from "../../protocol/message-port.ts";
import type { TaskMask } from "../masking.ts";

export type AskMain = (question: TaskQuestion) => Promise<unknown>;

export interface CheckRunOptions {
  /** Runs one command in the session of the job. */
  query(command: string): Promise<unknown>;
  readonly ask: AskMain;
  readonly mask: TaskMask;
  readonly ctx: Context;
  /** The detected platform of the session. */
  readonly platform: string | undefined;
  /** Called with an error that is an answer; then the check was not evaluated. Default: the check has failed. */
  onFault?(error: ServiceError): void;
}

/** Values recorded before the push, by the index of their check in `after`. */
export type ValuesBefore = Map<number, { readonly value: unknown }>;

/** The result of a command: its output, or why there is none. */
type Obtained = { readonly output: unknown } | { readonly fault: string };

/** Errors that are an answer of the device or a template: the check has failed, and the session stays usable. */
const answers: ReadonlySet<ErrorKind> = new Set([
  ...(["CommandError", "ReadTimeout", "ParseError", "RenderError", "OutputTooLarge", "NotFound"] as const),
  ...(["TemplateError", "TemplateTimeout", "TemplateLimit", "Validation"] as const),
]);

/**
 * @param results filled as checks are evaluated, so that earlier results survive if a later one breaks the session
 * @param stopAtFailure skip the checks after a failed one
 * @throws anything that ends the job: a lost session, a cancel, a timeout
 */
export async function runChecks(
  checks: readonly PlannedCheck[],
  before: ValuesBefore,
  results: CheckResult[],
  stopAtFailure: boolean,
  { query, ask, mask, ctx, platform, onFault }: CheckRunOptions,
): Promise<void> {
  const outputs = new Map<string, Obtained>();

  async function outputOf(command: string): Promise<Obtained> {
    const cached = outputs.get(command);
    if (cached) return cached;
    const obtained = await orFault(async () => ({ output: mask.plain(await query(command)) ?? null }));
    outputs.set(command, obtained);
    return obtained;
  }

  async function orFault<T>(work: () => Promise<T>): Promise<T | { fault: string }> {
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
    try {
      return await work();
    } catch (error) {
      const clean = mask.error(error);
      const { kind, message } = toErrorData(clean, "DriverError");
      if (ctx.signal.aborted || !answers.has(kind)) throw error;
      onFault?.(clean);
      return { fault: `${kind}: ${message}` };
    }
  }

  async function computedOf(
    planned: PlannedCheck,
    output: unknown,
  ): Promise<{ value: unknown } | { fault: string }> {
    if (!isComputed(planned.check)) return { value: output };
    const { phase, at } = planned;
    const platformField = platform === undefined ? {} : { platform };
    return orFault(async () => {
      const json = await ask({ about: "value", phase, at, output, ...platformField });
      return { value: typeof json === "string" ? (JSON.parse(json) as unknown) : null };
    });
  }

  async function runCheck(planned: PlannedCheck): Promise<CheckResult> {
    const { check, measured, at } = planned;
    const obtained = await outputOf(check.command);
    const computed = "fault" in obtained ? obtained : await computedOf(planned, obtained.output);
    const output = "output" in obtained ? { output: beginningOf(obtained.output) } : {};
    const head = {
      ...(check.name === undefined ? {} : { name: check.name }),
      command: check.command,
    };
    const expected = measured ? null : expectedOf(check);
    if ("fault" in computed)
      return {
        ...{ ...head, ok: onFault === undefined ? false : null, value: null, expected },
        ...{ message: computed.fault, ...output },
      };
    if (measured) {
      before.set(at, computed);
      const message = onFault === undefined ? "Its value before the push." : measuredAlone;
      return { ...head, ok: null, value: shortened(computed.value), expected, message, ...output };
    }
    const { ok, value, message } = judge(check, computed.value, before.get(at));
    return { ...head, ok, value, expected, message, ...output };
  }

  for (const planned of checks) {
    const failed = stopAtFailure && results.some(({ ok }) => ok === false);
    results.push(maskedResult(failed ? notRun(planned) : await runCheck(planned), mask));
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

/** Descriptions of the request may contain secrets too. */
function maskedResult(
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
