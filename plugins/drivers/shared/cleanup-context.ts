/** A context for cleanup on a device after the job was cancelled, timed out or failed. */
import type { Context } from "patchbay/plugin";

/** After a cancel, a driver has five seconds before its thread is considered hung. */
const graceMs = 4_000;

/** Lasts for the job's time plus a grace period. Announces nothing, since it sends no new changes. */
export function cleanupContext(ctx: Context): Context {
  const end = new AbortController();
  const last = () => {
    const late = AbortSignal.timeout(graceMs);
    late.addEventListener("abort", () => end.abort(late.reason), { once: true });
  };
  if (ctx.signal.aborted) last();
  else ctx.signal.addEventListener("abort", last, { once: true });
  return {
    ...ctx,
    signal: end.signal,
    remaining: () => Math.max(ctx.remaining(), graceMs),
    announce() {},
    output() {},
  };
}
