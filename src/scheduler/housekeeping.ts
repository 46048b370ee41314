/** Upkeep by the clock: old jobs, audit entries and idempotency keys go, last uses of keys are written, the file shrinks, a change of the master key goes on. */
import { Cron } from "croner";
import { pause } from "../base/deadline.ts";
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";

export interface Housekeeping {
  /** Runs all of it now. */
  sweep(): Promise<void>;
  stop(): void;
}

export interface HousekeepingTools {
  readonly store: Pick<
    Store,
    "retention" | "kept" | "events" | "keys" | "loginSessions" | "full" | "rotation"
  >;
  readonly log: Log;
  readonly auditMs: number;
  /** Secrets of jobs that did not end well are kept this long. */
  readonly retryMs: number;
  /** Changes of jobs that are kept at most. */
  readonly keptEvents: number;
  /** Asks servers: nothing else waits for it. */
  lookAfterDetached(): Promise<void>;
}

const everyMinute = "0 * * * * *";
const everyTenMinutes = "30 */10 * * * *";
/** Others get their turn between two batches. */
const breathMs = 20;
/** Changes of jobs are kept this long at most. */
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

  async function sweep(): Promise<void> {
    const jobs = await removeAll(retention.jobs);
    const audit = await removeAll(() => retention.audit(auditMs));
    const keys = await removeAll(retention.idempotency);
    await removeAll(() => store.kept.eraseSecrets(retryMs));
    await trimEvents();
    await store.keys.writeUses();
    await store.loginSessions.writeUses();
    // A look at the storage: it takes its reserve back when there is room again.
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
      log.info("rotation.done", { sealed: count, note: "former master keys may be removed" });
    } finally {
      // A store that was away, or full, is asked again in ten minutes.
      if (rotation === "running") rotation = "due";
    }
  });
  void rotate();
  if (retryMs > 0) void quietly("overwriting", store.kept.overwriteErased)();
  // `protect`: a sweep that takes longer than a minute is not joined by a second one.
  // In UTC, which is the same minute everywhere: the runtime reads tables of time zones for the local time.
  const options = { protect: true, unref: true, utcOffset: 0 };
  const crons = [
    new Cron(everyMinute, options, quietly("retention", sweep)),
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
