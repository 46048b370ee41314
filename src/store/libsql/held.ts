/** Held jobs: released, they wait in their old order as if submitted now. */
import type { HeldJobs } from "../port.ts";
import { resumeSchedules } from "./copied-schedules.ts";
import { type Database, steadyNow } from "./database/database.ts";
import { isPaced, releasedRow, waitsFrom } from "./pacing.ts";

/** What its bulk holds back waits for that, and what it already waits for is no word. */
const releaseOne = `update jobs set status = case when ${isPaced} then 'held' else 'queued' end,
  due_t = case when ${isPaced} then 0 end, enqueued_at = :at, queued_t = ${steadyNow},
  expires_t = ${steadyNow} + ttl_ms, window_end = null
where +status = 'held' and due_t is not 0 and id in (select value from json_each(:ids))
returning ${releasedRow.columns}`;

/** What waited for its time waits for it again. */
const releaseCopied = `update jobs set status = case when not_before > :at or ${isPaced} then 'held' else 'queued' end,
  due_t = case when not_before > :at then ${steadyNow} + not_before - :at when ${isPaced} then 0 end,
  enqueued_at = :at, queued_t = ${steadyNow}, expires_t = ${steadyNow} + ${waitsFrom(":at")}
where status = 'held' and due_t is null`;

export function createHeldJobs(database: Database): HeldJobs {
  const { clock } = database;

  return {
    async release(ids) {
      const [released] = await database.write([
        {
          sql: releaseOne,
          args: { at: clock.wall(), now: database.now(), ids: JSON.stringify(ids) },
        },
      ]);
      return releasedRow.read(released);
    },

    async releaseAll() {
      const [released] = await database.write(
        [{ sql: releaseCopied, args: { at: clock.wall(), now: database.now() } }, resumeSchedules],
        { patienceMs: 60_000 },
      );
      return released?.changes ?? 0;
    },
  };
}
