/** The end of a push, on its own session while that answers, or on another one. */
import { type Context, PluginError } from "patchbay/plugin";
import { messageOf } from "../message.ts";

interface Closing {
  close(): Promise<unknown>;
}

export async function onAnother<S extends Closing, T>(
  another: (ctx: Context) => Promise<S>,
  ctx: Context,
  work: (session: S) => Promise<T>,
): Promise<T> {
  const session = await another(ctx);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** What the device refuses, it refuses to any session. */
export async function onAnySession<S extends Closing, T>(
  { session, another }: { readonly session: S; another(ctx: Context): Promise<S> },
  ctx: Context,
  work: (session: S) => Promise<T>,
): Promise<T> {
  try {
    return await work(session);
  } catch (error) {
    if (ctx.signal.aborted || isRefusal(error)) throw error;
    ctx.log.warn("undo.session_lost", { reason: messageOf(error) });
  }
  return onAnother(another, ctx, work);
}

/** For a word after which what runs decides, not the answer of the device. */
export async function refusedWarns(work: () => Promise<unknown>, ctx: Context): Promise<void> {
  await work().catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    ctx.warn(error.message);
  });
}

const isRefusal = (error: unknown): error is PluginError =>
  error instanceof PluginError && error.kind === "CommandError";
