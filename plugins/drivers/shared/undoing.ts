/** What must be undone on a device although the job is over: cancelled, late, or failed. */
import type { Context } from "patchbay/plugin";

/** Behind a cancel a driver has five seconds until its thread is taken to hang. */
const graceMs = 4_000;

/** The time of the job, and a moment behind its end. Nothing of it is announced: it changes nothing new. */
export function undoing(ctx: Context): Context {
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
