/** Waits for the next step of a change, by its events; looks now and then where they do not arrive. */
import { pause } from "../../base/time/deadline.ts";
import type { Api } from "./api.ts";
import { listen } from "./events.ts";

/** Without an event. Until the first one has come, the stream may have begun after what it would tell. */
const look = { firstMs: 1_000, mostMs: 15_000 } as const;
/** Several steps are one look. */
const soonMs = 50;

export interface ChangeNews {
  /** Resolves when something has happened since the last call, or after a while. Throws the reason of the signal. */
  next(): Promise<void>;
  stop(): Promise<void>;
}

export function hearChange(api: Api, id: string, signal: AbortSignal): ChangeNews {
  const stop = new AbortController();
  let ring = () => {};
  let lookMs: number = look.firstMs;
  let rung = new Promise<void>((resolve) => (ring = resolve));
  const listening = listen(api, `/change/${encodeURIComponent(id)}/events`, stop.signal, () => {
    lookMs = look.mostMs;
    ring();
  });
  return {
    async next() {
      const looked = new AbortController();
      await Promise.race([rung, pause(lookMs, AbortSignal.any([signal, looked.signal]))]);
      looked.abort();
      lookMs = Math.min(look.mostMs, lookMs * 2);
      signal.throwIfAborted();
      await pause(soonMs, signal);
      rung = new Promise<void>((resolve) => (ring = resolve));
    },
    async stop() {
      stop.abort();
      await listening;
    },
  };
}
