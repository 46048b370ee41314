/**
 * A push that can be undone: saves the running configuration first; the push is confirmed or undone after its checks.
 */
import {
  type Change,
  type CliSession,
  type ConfigureOptions,
  type ConfigureResult,
  type Context,
  cleanupContext,
  type KeptConfiguration,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";

export interface ChangeTools {
  readonly cli: CliSession;
  readonly options: ConfigureOptions;
  /** A second session, if the push has cut the first one. */
  another(ctx: Context): Promise<CliSession>;
  output(result: ConfigureResult): string;
}

/** @returns undefined if the platform has no reliable undo on this device; nothing was pushed then */
export async function change(
  lines: readonly string[],
  { cli, options, another, output }: ChangeTools,
  ctx: Context,
): Promise<Change | undefined> {
  const kept = await cli.keep(options, ctx).catch((error: unknown) => {
    throw withDetail(error, { outcome: "none" });
  });
  if (kept === undefined) return undefined;
  const undo = (ctx: Context) => takenBack(kept, { cli, another }, ctx);
  try {
    const result = await cli.configure(lines, { ...options, kept }, ctx);
    return {
      output: output(result),
      how: kept.undo.way,
      ...(kept.revertsAt === undefined ? {} : { revertsAt: kept.revertsAt }),
      confirm: (ctx) => cli.confirm(kept, options, ctx),
      undo,
    };
  } catch (error) {
    throw await undone(error, undo, cleanupContext(ctx));
  }
}

/** Uses the session of the push while it answers, or a new one if its state is unknown. */
async function takenBack(
  kept: KeptConfiguration,
  { cli, another }: Pick<ChangeTools, "cli" | "another">,
  ctx: Context,
): Promise<string> {
  try {
    return await cli.undo(kept, ctx);
  } catch (error) {
    if (ctx.signal.aborted || (error instanceof PluginError && error.kind === "CommandError")) throw error;
    ctx.log.warn("undo.session_lost", { reason: String(error) });
  }
  const session = await another(ctx);
  try {
    return await session.undo(kept, ctx);
  } finally {
    await session.close();
  }
}

/** An interrupted push is undone, or its error says that lines may still be active. */
async function undone(
  error: unknown,
  undo: (ctx: Context) => Promise<string>,
  ctx: Context,
): Promise<unknown> {
  try {
    await undo(ctx);
    return withDetail(error, { outcome: "none" });
  } catch (failure) {
    if (!(error instanceof PluginError)) return error;
    const why = messageOf(failure);
    return new PluginError(
      "CommandError",
      `${error.message} The lines that were active could not be undone: ${why}`,
      { ...error.detail, outcome: "unknown" },
      { cause: error },
    );
  }
}
