/** Maintenance: retention of jobs, audit and idempotency keys, last-use times, vacuum, key rotation. */
import { Cron } from "croner";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { Store } from "../store/port.ts";

export interface Housekeeping {
  /** Runs all tasks now. */
  sweep(): Promise<void>;
  stop(): void;
}

export interface HousekeepingTools {
  readonly store: Pick<
    Store,
    | "retention"
    | "kept"
    | "events"
    | "changes"
    | "clock"
    | "keys"
    | "persons"
    | "loginSessions"
    | "full"
    | "rotation"
  >;
  readonly log: Log;
  readonly auditMs: number;
  /** How long secrets of failed jobs are kept. */
  readonly retryMs: number;
  /** Maximum number of events kept. */
  readonly keptEvents: number;
  /** Contacts servers; not awaited by other tasks. */
  lookAfterDetached(): Promise<void>;
}

const everyMinute = "0 * * * * *";
const everyTenMinutes = "30 */10 * * * *";
/** Pause between batches. */
const breathMs = 20;
/** Maximum age of events. */
const eventMs = 86_400_000;

export function startHousekeeping({
  store,
  log,
  auditMs,
  retryMs,
  keptEvents,
  lookAfterDetached,
}: HousekeepingTools): Housekeeping {
  const { retention } = store;
  const stopping = new AbortController();

  async function removeAll(remove: () => Promise<number>): Promise<number> {
    let count = 0;
    for (;;) {
      const removed = await remove();
      count += removed;
      if (removed < retention.batch || stopping.signal.aborted) return count;
      await pause(breathMs, stopping.signal);
    }
  }

  async function trimEvents(): Promise<void> {
    while ((await store.events.trim(eventMs, keptEvents)) && !stopping.signal.aborted)
      await pause(breathMs, stopping.signal);
  }

  /** Of persons who were forgotten. */
  async function eraseNames(): Promise<void> {
    while ((await store.persons.erase()) && !stopping.signal.aborted) await pause(breathMs, stopping.signal);
  }

  /** Kept as long as the audit trail that tells of them. */
  async function pruneChanges(): Promise<void> {
    const before = store.clock.wall() - auditMs;
    while ((await store.changes.prune(before)) && !stopping.signal.aborted)
      await pause(breathMs, stopping.signal);
  }

  async function sweep(): Promise<void> {
    const jobs = await removeAll(retention.jobs);
    const audit = await removeAll(() => retention.audit(auditMs));
    const keys = await removeAll(retention.idempotency);
    await removeAll(() => store.kept.eraseSecrets(retryMs));
    await trimEvents();
    await pruneChanges();
    await store.keys.writeUses();
    await store.loginSessions.writeUses();
    // Checks the disk: recreates the reserve file when there is room again.
    store.full();
    if (jobs + audit + keys > 0) log.debug("retention.done", { jobs, audit, keys });
  }

  const quietly = (what: string, work: () => Promise<void>) => async () => {
    try {
      await work();
    } catch (error) {
      log.warn("housekeeping.failed", { what, reason: String(error) });
    }
  };
  let rotation: "due" | "running" | "done" = store.rotation.isDue ? "due" : "done";
  const rotate = quietly("rotation", async () => {
    if (rotation !== "due") return;
    rotation = "running";
    try {
      const count = await store.rotation.reseal();
      rotation = "done";
      log.info("rotation.done", { sealed: count, note: "earlier master keys may be removed" });
    } finally {
      // Retried in ten minutes if the store is unavailable or full.
      if (rotation === "running") rotation = "due";
    }
  });
  void rotate();
  if (retryMs > 0) void quietly("overwriting", store.kept.overwriteErased)();
  // `protect`: no second run while one takes longer than a minute.
  // UTC suffices for minutes, and avoids loading time zone data.
  const options = { protect: true, unref: true, utcOffset: 0 };
  const crons = [
    new Cron(everyMinute, options, quietly("retention", sweep)),
    new Cron(everyMinute, options, quietly("pseudonyms", eraseNames)),
    new Cron(everyTenMinutes, options, quietly("shrink", retention.shrink)),
    new Cron(everyTenMinutes, options, quietly("detached", lookAfterDetached)),
    new Cron(everyTenMinutes, options, rotate),
  ];
  return {
    sweep,
    stop() {
      stopping.abort();
      for (const cron of crons) cron.stop();
    },
  };
}
