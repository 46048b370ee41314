/** Runs a configuration with checks through its driver. */

import {
  type CheckReport,
  type CheckResult,
  type StoredCheck,
  type UndoWord,
  undoWays,
} from "../../api/jobs/checks.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { planAlone } from "../../checks/plan.ts";
import { failureText } from "../../checks/report.ts";
import type {
  Change,
  Context,
  DriverPlugin,
  Hold,
  Outputs,
  PlatformPlugin,
  Session,
} from "../../plugin/index.ts";
import type { ConfigureTask } from "../../protocol/task.ts";
import { fieldsOf } from "../../registry/fields.ts";
import type { TaskMask } from "../masking.ts";
import { configure, lacks, outputsOf, recordIntent } from "../operation.ts";
import type { Steps } from "../steps.ts";
import { validated } from "../validate.ts";
import { type AskMain, runChecks } from "./check-run.ts";
import { type CheckedPush, checkedPush } from "./checked-push.ts";
import { fingerprintBy } from "./end-open.ts";

export interface CheckedOperation {
  readonly session: Session;
  readonly plugin: DriverPlugin;
  /** Looks up a platform by name or alias. */
  platform(name: string): PlatformPlugin | undefined;
  readonly task: ConfigureTask & Required<Pick<ConfigureTask, "checks">>;
  /** Output of the schemas. */
  readonly connection: unknown;
  readonly args: unknown;
  readonly ctx: Context;
  readonly mask: TaskMask;
  readonly steps: Steps;
  readonly ask: AskMain;
}

export async function checkedOperation(options: CheckedOperation): Promise<CheckedPush> {
  const { session, plugin, platform, task, connection, args, ctx, steps, mask, ask } = options;
  const { checks, lines } = task;
  const queryArgs = await argsOfChecks(plugin, task.args);
  const hold =
    checks.holdSeconds === undefined || task.markKey === undefined
      ? undefined
      : { seconds: checks.holdSeconds, fingerprint: fingerprintBy(task.markKey) };
  const isUndone = checks.onFailure === "undo" && checks.after.length > 0;
  const change = isUndone || hold !== undefined ? session.change?.bind(session) : undefined;
  // Queries are not recorded as sent: a job that ends during one has pushed nothing.
  const reading = { ...ctx, announce() {} };
  const asCommand = <T>(work: () => Promise<T>) => steps.command(lines[0] ?? "", work);
  return checkedPush({
    checks,
    how: change === undefined ? "none" : (plugin.undo?.(connection, args, platform) ?? "none"),
    ctx,
    ask,
    mask,
    platform: session.platform,
    query: (command) => steps.command(command, () => queryOne(session, plugin, command, queryArgs, reading)),
    intend: () => recordIntent(plugin, task, args, ctx),
    push: () => asCommand(() => configure(session, task, args, ctx)),
    ...(change === undefined
      ? {}
      : {
          change: () =>
            asCommand(async () => heldChange(await change(lines, args, ctx, hold), plugin.name, hold)),
        }),
    outputsOf: (change) => outputsOfChange(change, task),
  });
}

/** Checks of a device that gets no lines. What cannot be read is no failure of a check: then the job fails with it. */
export async function checkedQuery(
  options: Pick<CheckedOperation, "session" | "plugin" | "ctx" | "mask" | "steps" | "ask"> & {
    readonly checks: readonly StoredCheck[];
    readonly args: Readonly<Record<string, unknown>>;
  },
): Promise<CheckedPush> {
  const { session, plugin, checks, ctx, steps, mask, ask } = options;
  const queryArgs = await argsOfChecks(plugin, options.args);
  const after: CheckResult[] = [];
  let fault: ServiceError | undefined;
  // Not recorded as sent: a job that ends here is run again.
  const reading = { ...ctx, announce() {} };
  await runChecks(planAlone(checks), new Map(), after, false, {
    ...{ ask, mask, ctx, platform: session.platform },
    query: (command) => steps.command(command, () => queryOne(session, plugin, command, queryArgs, reading)),
    onFault(error) {
      fault ??= error;
    },
  });
  const message = failureText(after);
  const report: CheckReport = { before: [], after, pushed: false, undone: false, how: "none", message };
  if (after.some(({ ok }) => ok === false))
    throw new ServiceError("CheckFailed", message, { outcome: "none", checks: report });
  if (fault !== undefined) {
    const { kind, message: why, detail } = toErrorData(fault, "DriverError");
    throw new ServiceError(kind, why, { ...detail, outcome: "none", checks: { ...report, message: why } });
  }
  return { outputs: [], checks: report };
}

/**
 * The arguments of the push that queries also accept. A rejected command fails the check: its output is not evaluated.
 */
async function argsOfChecks(plugin: DriverPlugin, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  const queryFields = new Set(fieldsOf(plugin.args.query));
  const shared = Object.entries(args).filter(([name]) => queryFields.has(name));
  const refusals = queryFields.has(refusalField) ? { [refusalField]: true } : {};
  return validated(plugin.args.query, { ...Object.fromEntries(shared), ...refusals }, "driver_args");
}

/** Drivers that report rejections of a query as warnings accept this argument to fail instead. */
const refusalField = "fail_on_refusal";

async function queryOne(
  session: Session,
  plugin: DriverPlugin,
  command: string,
  args: unknown,
  ctx: Context,
): Promise<unknown> {
  if (session.query) return session.query(command, args, ctx);
  if (!session.queryAll) throw lacks(plugin.name, "query");
  const [first] = outputsOf(await session.queryAll([command], args, ctx), plugin.name);
  if (first?.error) throw first.error;
  return first?.output;
}

/** The change may already be pushed and must be confirmed or undone, so a driver without these methods fails here. */
function heldChange(change: Change, driver: string, hold: Hold | undefined): Change {
  const isWhole = typeof change?.confirm === "function" && typeof change.undo === "function";
  if (!isWhole)
    throw new ServiceError(
      "DriverError",
      `The driver ${driver} returned no change that can be confirmed or undone.`,
      {
        outcome: "unknown",
      },
    );
  const isKnown = (word: string): word is UndoWord => undoWays.some((way) => way === word);
  return {
    ...(change.output === undefined ? {} : { output: change.output }),
    ...(change.outputs === undefined ? {} : { outputs: change.outputs }),
    how: isKnown(change.how) ? change.how : "none",
    ...(Number.isFinite(change.revertsAt) ? { revertsAt: Number(change.revertsAt) } : {}),
    ...(hold !== undefined && isOpenText(change.open) ? { open: change.open } : {}),
    confirm: (ctx) => change.confirm(ctx),
    undo: (ctx) => change.undo(ctx),
  };
}

/** It is stored with the record. */
const maxOpenChars = 4_096;

const isOpenText = (open: unknown): open is string =>
  typeof open === "string" && open !== "" && open.length <= maxOpenChars;

function outputsOfChange(change: Change, task: ConfigureTask): Outputs {
  if (change.outputs !== undefined) return outputsOf(change.outputs, task.driver);
  return [{ command: task.lines.join("\n"), output: change.output ?? "" }];
}
