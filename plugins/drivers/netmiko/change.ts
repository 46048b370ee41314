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
  type Hold,
  type OpenChange,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { onAnySession } from "../shared/push/another-session.ts";
import { openText, readOpen } from "../shared/push/open-change.ts";

export interface ChangeTools {
  readonly cli: CliSession;
  readonly options: ConfigureOptions;
  /** A second session, if the push has cut the first one. */
  another(ctx: Context): Promise<CliSession>;
  output(result: ConfigureResult): string;
  /** The push is to be left open. */
  readonly hold?: Hold | undefined;
}

/** @returns undefined if the platform has no reliable undo on this device; nothing was pushed then */
export async function change(
  lines: readonly string[],
  { cli, options, another, output, hold }: ChangeTools,
  ctx: Context,
): Promise<Change | undefined> {
  const kept = await cli.keep(options, ctx, hold?.seconds).catch((error: unknown) => {
    throw withDetail(error, { outcome: "none" });
  });
  if (kept === undefined) return undefined;
  const undo = (ctx: Context) =>
    onAnySession({ session: cli, another }, ctx, (session) => session.undo(kept, ctx));
  try {
    const result = await cli.configure(lines, { ...options, kept }, ctx);
    const open = hold && (await cli.leaveOpen(kept, hold.fingerprint, ctx));
    return {
      ...(open === undefined
        ? {}
        : { open: openText({ handle: open.name, before: open.before, after: open.after }) }),
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

/** A push that another session left open. */
export async function reopen(
  open: string,
  { cli, options, hold }: Pick<ChangeTools, "cli" | "options"> & { hold: Pick<Hold, "fingerprint"> },
  ctx: Context,
): Promise<OpenChange> {
  const { handle: name = "", ...marks } = readOpen(open);
  const { kept, running } = await cli.reopen({ name, ...marks }, hold.fingerprint, ctx);
  return {
    running,
    confirm: (ctx) => cli.confirm(kept, options, ctx),
    undo: (ctx) => cli.undo(kept, ctx),
    ...(kept.undo.extend === undefined
      ? {}
      : { extend: (seconds: number, ctx: Context) => cli.extend(kept, seconds, ctx) }),
  };
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
