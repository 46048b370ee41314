/** Shared code for candidates over NETCONF: cleanup, and the meaning of commit errors. */
import {
  type Context,
  cleanupContext,
  cleanupMs,
  type NetconfReply,
  type NetconfSession,
  PluginError,
  withDetail,
  type XmlFragment,
} from "patchbay/plugin";
import { messageOf } from "../message.ts";

/** A commit first validates everything, which takes minutes on a large configuration. */
export const commitMs = 600_000;

/**
 * Sends the operations that discard and unlock the candidate; reports failures as warnings.
 * @returns false if the session ended before all of them were sent
 */
export async function giveBack(
  session: NetconfSession,
  steps: readonly XmlFragment[],
  ctx: Context,
): Promise<boolean> {
  const last = cleanupContext(ctx);
  for (const step of steps) {
    if (!session.alive()) return false;
    const timeoutMs = Math.min(cleanupMs, last.remaining());
    await session.rpc(step, { timeoutMs }, last).catch((error) => {
      ctx.warn(`The candidate may be left on the device: ${messageOf(error)}`);
    });
  }
  return true;
}

/** Marks an error as one before the commit. */
export const beforeCommit = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((error) => Promise.reject(withDetail(error, { outcome: "none" })));

/** A commit error: only a refusal proves that nothing was committed. */
export function commitFault(error: unknown): unknown {
  const isRefused = error instanceof PluginError && error.kind === "CommandError";
  return withDetail(error, { command: "commit", outcome: isRefused ? "none" : "unknown" });
}

export function warnOf({ warnings }: NetconfReply, ctx: Context): void {
  for (const { message } of warnings.slice(0, 20)) ctx.warn(message.replace(/\s+/g, " "));
}
