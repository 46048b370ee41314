/**
 * Session cache: a session serves one job at a time, is checked before reuse, and is closed when idle, old, over the
 * limit or failed.
 */
import { createHash } from "node:crypto";
import { canonicalHost } from "../api/identity.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { neverAborted, onAbort, within } from "../base/time/deadline.ts";
import { stopTimes } from "../base/time/stop-times.ts";
import type { Context, Session } from "../plugin/index.ts";
import type { KeptSession, WorkerSettings } from "../protocol/message-port.ts";

export interface HeldSession {
  readonly session: Session;
  readonly reused: boolean;
  /** Returns the session; a failed one is never reused. Further calls do nothing. */
  release(failed: boolean): void;
}

export interface SessionRequest {
  readonly key: string;
  readonly host: string;
  readonly driver: string;
  /** False: a separate session, closed after use. */
  readonly keep: boolean;
  open(): Promise<Session>;
  /** Closes at once everything that the session opened. */
  cut(reason: ServiceError): void;
}

export interface Sessions {
  /** @param abandoned aborts when the task ends without its driver: the session is then cut and removed */
  acquire(request: SessionRequest, ctx: Context, abandoned?: AbortSignal): Promise<HeldSession>;
  /** Closes a session gracefully, and at once if that takes too long. */
  close(session: Session, cut: SessionRequest["cut"]): Promise<void>;
  /** Closes the sessions of a host (or all); a busy one is closed when it is released. */
  evict(host?: string): Promise<number>;
  /** The same for the sessions of drivers that were replaced. */
  evictDrivers(names: ReadonlySet<string>): Promise<number>;
}

interface Kept extends KeptSession {
  key: string;
  session: Session;
  cut: SessionRequest["cut"];
  busy: boolean;
  condemned: boolean;
  openedAt: number;
  idle?: ReturnType<typeof setTimeout>;
}

/** Connection fields that tune the connection but do not identify it; they do not separate sessions. */
const tuning = new Set(["timeout", "keepalive", "verbose", "fast_cli", "banner_timeout", "auth_timeout"]);

/** The cache key covers everything used to authenticate, never just the host. */
export function sessionKey(driver: string, connection: Record<string, unknown>): string {
  const parts = Object.entries(connection)
    .filter(([field, value]) => !tuning.has(field) && value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([driver, parts]))
    .digest("hex");
}

export interface SessionsOptions {
  readonly settings: Pick<WorkerSettings, "sessionIdleMs" | "sessionAgeMs" | "maxSessions">;
  readonly log: Log;
  onChange(session: KeptSession, opened: boolean): void;
}

/** A driver that throws here has no reusable session. */
async function isReusable(session: Session, ctx: Context): Promise<boolean> {
  try {
    return (await session.reusable?.(ctx)) === true;
  } catch {
    return false;
  }
}

export function createSessions({ settings, log, onChange }: SessionsOptions): Sessions {
  // In order of last use: the first one has been idle longest.
  const entries = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();
  let nextId = 1;

  function close(session: Session, cut: SessionRequest["cut"]): Promise<void> {
    // `close` may throw synchronously, or not return a promise, or never end.
    const closed = within(
      (async () => session.close?.())(),
      stopTimes.closeMs,
      neverAborted,
      notClosed,
    ).catch((error) => {
      log.warn("session.close_failed", { reason: String(error) });
      cut(notClosed());
    });
    closing.add(closed);
    return closed.finally(() => closing.delete(closed));
  }

  function remove(entry: Kept): void {
    clearTimeout(entry.idle);
    if (entries.get(entry.key) !== entry) return;
    entries.delete(entry.key);
    onChange({ id: entry.id, host: entry.host, driver: entry.driver }, false);
    void close(entry.session, entry.cut);
  }

  /** From here on the end of the task without its driver also ends the session. */
  function held(
    session: Session,
    reused: boolean,
    cut: SessionRequest["cut"],
    abandoned: AbortSignal,
    returned: (failed: boolean) => void,
  ): HeldSession {
    let isReleased = false;
    const release = (failed: boolean) => {
      if (isReleased) return;
      isReleased = true;
      unlisten();
      returned(failed);
    };
    let unlisten = () => {};
    unlisten = onAbort(abandoned, (reason) => {
      cut(reason);
      release(true);
    });
    return { session, reused, release };
  }

  function lend(entry: Kept, reused: boolean, abandoned: AbortSignal): HeldSession {
    entry.busy = true;
    clearTimeout(entry.idle);
    return held(entry.session, reused, entry.cut, abandoned, (failed) => {
      entry.busy = false;
      if (failed || entry.condemned) return remove(entry);
      entries.delete(entry.key);
      entries.set(entry.key, entry);
      entry.idle = setTimeout(() => remove(entry), settings.sessionIdleMs);
    });
  }

  async function reuse(key: string, ctx: Context, abandoned: AbortSignal): Promise<HeldSession | undefined> {
    const entry = entries.get(key);
    if (!entry || entry.busy) return undefined;
    const lease = lend(entry, true, abandoned);
    const young = performance.now() - entry.openedAt < settings.sessionAgeMs;
    if (young && (await isReusable(entry.session, ctx))) return lease;
    lease.release(true);
    return undefined;
  }

  function makeRoom(): void {
    if (entries.size < settings.maxSessions) return;
    for (const entry of entries.values()) {
      if (entry.busy) continue;
      remove(entry);
      return;
    }
  }

  async function evictAll(chosen: readonly Kept[]): Promise<number> {
    for (const entry of chosen) {
      entry.condemned = true;
      if (!entry.busy) remove(entry);
    }
    await Promise.all(closing);
    return chosen.length;
  }

  return {
    close,
    async acquire(request, ctx, abandoned = neverAborted) {
      if (request.keep) {
        const reused = await reuse(request.key, ctx, abandoned);
        if (reused) return reused;
      }
      const { cut } = request;
      const unlisten = onAbort(abandoned, cut);
      const session = await request.open().finally(unlisten);
      if (!request.keep || entries.has(request.key))
        return held(session, false, cut, abandoned, () => void close(session, cut));
      makeRoom();
      const entry: Kept = {
        id: nextId++,
        host: request.host,
        driver: request.driver,
        key: request.key,
        session,
        cut,
        busy: true,
        condemned: false,
        openedAt: performance.now(),
      };
      entries.set(request.key, entry);
      onChange({ id: entry.id, host: entry.host, driver: entry.driver }, true);
      return lend(entry, false, abandoned);
    },

    evictDrivers: (names) => evictAll([...entries.values()].filter(({ driver }) => names.has(driver))),

    evict(host) {
      const canonical = host === undefined ? undefined : canonicalHost(host);
      return evictAll(
        [...entries.values()].filter((entry) => canonical === undefined || entry.host === canonical),
      );
    },
  };
}

function notClosed(): ServiceError {
  return new ServiceError(
    "DriverError",
    `The session did not close within ${stopTimes.closeMs / 1000} seconds and was cut off.`,
  );
}
