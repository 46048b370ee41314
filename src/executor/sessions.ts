/**
 * Session cache: a session serves one job at a time, is checked before reuse, and is closed when idle, old, over the
 * limit or failed.
 */
import { createHash } from "node:crypto";
import type { Log } from "../base/log.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Context, Session } from "../plugin/index.ts";
import type { KeptSession, WorkerSettings } from "../protocol/message-port.ts";

export interface HeldSession {
  readonly session: Session;
  readonly reused: boolean;
  /** Returns the session; a failed one is never reused. */
  release(failed: boolean): void;
}

export interface SessionRequest {
  readonly key: string;
  readonly host: string;
  readonly driver: string;
  /** False: a separate session, closed after use. */
  readonly keep: boolean;
  open(): Promise<Session>;
}

export interface Sessions {
  acquire(request: SessionRequest, ctx: Context): Promise<HeldSession>;
  /** Closes the sessions of a host (or all); a busy one is closed when it is released. */
  evict(host?: string): Promise<number>;
  /** The same for the sessions of drivers that were replaced. */
  evictDrivers(names: ReadonlySet<string>): Promise<number>;
}

interface Kept extends KeptSession {
  key: string;
  session: Session;
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

  function close(session: Session): void {
    const closed = (async () => session.close?.())().catch((error) =>
      log.warn("session.close_failed", { reason: String(error) }),
    );
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function remove(entry: Kept): void {
    clearTimeout(entry.idle);
    if (entries.get(entry.key) !== entry) return;
    entries.delete(entry.key);
    onChange({ id: entry.id, host: entry.host, driver: entry.driver }, false);
    close(entry.session);
  }

  function lend(entry: Kept, reused: boolean): HeldSession {
    entry.busy = true;
    clearTimeout(entry.idle);
    return {
      session: entry.session,
      reused,
      release(failed) {
        entry.busy = false;
        if (failed || entry.condemned) return remove(entry);
        entries.delete(entry.key);
        entries.set(entry.key, entry);
        entry.idle = setTimeout(() => remove(entry), settings.sessionIdleMs);
      },
    };
  }

  async function reuse(key: string, ctx: Context): Promise<HeldSession | undefined> {
    const entry = entries.get(key);
    if (!entry || entry.busy) return undefined;
    const lease = lend(entry, true);
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
    async acquire(request, ctx) {
      if (request.keep) {
        const reused = await reuse(request.key, ctx);
        if (reused) return reused;
      }
      const session = await request.open();
      if (!request.keep || entries.has(request.key))
        return { session, reused: false, release: () => close(session) };
      makeRoom();
      const entry: Kept = {
        id: nextId++,
        host: request.host,
        driver: request.driver,
        key: request.key,
        session,
        busy: true,
        condemned: false,
        openedAt: performance.now(),
      };
      entries.set(request.key, entry);
      onChange({ id: entry.id, host: entry.host, driver: entry.driver }, true);
      return lend(entry, false);
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
