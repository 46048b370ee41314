/** Renews the vault token in the background, so that no job waits for it and the operator's token does not expire. */
import type { Context } from "patchbay/plugin";

export interface Renewal {
  /** Schedules a renewal at this time of `performance.now()`, replacing an earlier schedule; undefined cancels it. */
  plan(at: number | undefined, ctx: Context): void;
  stop(): void;
}

/** The longest delay of a timer. */
const maxMs = 2_147_483_647;

/** @param renew never rejects */
export function createRenewal(renew: (ctx: Context) => Promise<void>): Renewal {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  return {
    plan(at, ctx) {
      clearTimeout(timer);
      if (at === undefined || stopped) return;
      const background = detached(ctx);
      timer = setTimeout(() => void renew(background), Math.min(maxMs, Math.max(0, at - performance.now())));
      // The timer must not keep the process alive.
      timer.unref?.();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The job of the context may have ended or been cancelled by then, so each request has its own timeout. */
export function detached(ctx: Context): Context {
  const { signal } = new AbortController();
  return { ...ctx, signal, remaining: () => Number.MAX_SAFE_INTEGER };
}
