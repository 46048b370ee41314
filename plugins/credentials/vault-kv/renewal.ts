/** Renews the token of a vault in the background, so that no job waits for it and a token of the operator does not run out. */
import type { Context } from "patchbay/plugin";

export interface Renewal {
  /** At the time of `performance.now()`, in place of what was planned before; undefined: never. */
  plan(at: number | undefined, ctx: Context): void;
  stop(): void;
}

/** A timer takes no more. */
const longestMs = 2_147_483_647;

/** @param renew never rejects */
export function createRenewal(renew: (ctx: Context) => Promise<void>): Renewal {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  return {
    plan(at, ctx) {
      clearTimeout(timer);
      if (at === undefined || stopped) return;
      const background = detached(ctx);
      timer = setTimeout(
        () => void renew(background),
        Math.min(longestMs, Math.max(0, at - performance.now())),
      );
      // Nothing is kept alive by it.
      timer.unref?.();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The job that it comes from may have ended by then, or been cancelled: each request has a time of its own. */
export function detached(ctx: Context): Context {
  const { signal } = new AbortController();
  return { ...ctx, signal, remaining: () => Number.MAX_SAFE_INTEGER };
}
