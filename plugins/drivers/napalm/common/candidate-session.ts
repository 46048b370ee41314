/** What changes of a candidate over NETCONF have in common: how it is left, and what an error of a commit means. */
import {
  type Context,
  type NetconfReply,
  type NetconfSession,
  PluginError,
  withDetail,
  type XmlFragment,
} from "patchbay/plugin";
import { messageOf } from "../../shared/message.ts";
import { forCleanup } from "./cleanup.ts";

/** A commit checks everything first: on a large configuration that takes minutes. */
export const commitMs = 600_000;
/** For each step of leaving the device as it was. */
const cleanupMs = 10_000;

/**
 * Sends what leaves the candidate clean and free; what fails is told.
 * @returns false: the session ended before all of it was sent
 */
export async function giveBack(
  session: NetconfSession,
  steps: readonly XmlFragment[],
  ctx: Context,
): Promise<boolean> {
  const last = forCleanup(ctx);
  for (const step of steps) {
    if (!session.alive()) return false;
    const timeoutMs = Math.min(cleanupMs, last.remaining());
    await session.rpc(step, { timeoutMs }, last).catch((error) => {
      ctx.warn(`The candidate may be left on the device: ${messageOf(error)}`);
    });
  }
  return true;
}

/** An error before anything was committed. */
export const beforeCommit = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((error) => Promise.reject(withDetail(error, { outcome: "none" })));

/** An error of a commit: nothing but a refusal says that it was not made. */
export function commitFault(error: unknown): unknown {
  const isRefused = error instanceof PluginError && error.kind === "CommandError";
  return withDetail(error, { command: "commit", outcome: isRefused ? "none" : "unknown" });
}

export function warnOf({ warnings }: NetconfReply, ctx: Context): void {
  for (const { message } of warnings.slice(0, 20)) ctx.warn(message.replace(/\s+/g, " "));
}
