/** Makes each use of the key for emergencies loud: trail, log, metric, webhooks. */
import { hasRight } from "../auth/rights.ts";
import type { Log } from "../base/log.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import type { Store } from "../store/port.ts";
import type { Admin } from "./port.ts";

export interface BreakGlassTools {
  readonly store: Pick<Store, "webhooks" | "clock">;
  readonly log: Log;
  /** A use was noted on this node. */
  onUsed(): void;
}

/** Readings of one session within this time are one use. */
const hourMs = 3_600_000;
/** Sessions whose last use is remembered: of one more the next request is noted again. */
const maxSessions = 1_000;

export function createBreakGlass({ store, log, onUsed }: BreakGlassTools): Admin["noteBreakGlass"] {
  const noted = createBoundedCache<number>(maxSessions);

  return async (caller, what) => {
    if (!hasRight(caller, "break_glass")) return;
    const { keyId, name, sessionId = "", from } = caller;
    const session = `${keyId}/${sessionId}`;
    const now = store.clock.steady();
    const before = noted.get(session);
    const reads = /^(?:GET|HEAD) /.test(what);
    if (reads && before !== undefined && now - before < hourMs) return;
    noted.set(session, now);
    const detail = `${what}, from ${from ?? "a Unix socket"}`;
    log.warn("break_glass.used", { key: name, what, from });
    try {
      await store.webhooks.noteBreakGlass({ caller, action: "break_glass.used", outcome: "used", detail });
    } catch (error) {
      // It is for the time when things fail. The log and the metric still tell of it.
      log.error("break_glass.not_noted", { reason: String(error) });
      noted.delete(session);
    }
    onUsed();
  };
}
