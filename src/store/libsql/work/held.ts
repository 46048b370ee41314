/** Releases held jobs: they keep their order and wait as if submitted now. */
import type { HeldJobs } from "../../port.ts";
import { type Database, steadyNow } from "../database/database.ts";
import { resumeSchedules } from "../schedules/copied-schedules.ts";
import { whoOf } from "../trail/audit.ts";
import { isPaced, releasedRow, waitsFrom } from "./pacing.ts";

/** Of a copied directory, before its start time. */
const isEarly = "due_t is null and not_before > :at";

const isReleased = "+status = 'held' and due_t is not 0 and id in (select value from json_each(:ids))";

/** Runs before the rows change, so that repeating the transaction after a lost response adds no entries. */
const auditRelease = `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome)
select :at, :at, :who, :from, 'job.release', host, id, 'queued' from jobs where ${isReleased}`;

/**
 * A job of a paced bulk then waits for that bulk; a job that already does is not released. A copied job keeps its start
 * time and its window.
 */
const releaseOne = `update jobs set status = case when (${isEarly}) or ${isPaced} then 'held' else 'queued' end,
  due_t = case when ${isEarly} then ${steadyNow} + not_before - :at when ${isPaced} then 0 end,
  enqueued_at = :at, queued_t = ${steadyNow},
  expires_t = ${steadyNow} + case when due_t is null then ${waitsFrom(":at")} else ttl_ms end,
  window_end = case when due_t is null then window_end end
where ${isReleased}
returning ${releasedRow.columns}`;

/** A job with a start time waits for it again. */
const releaseCopied = `update jobs set status = case when not_before > :at or ${isPaced} then 'held' else 'queued' end,
  due_t = case when not_before > :at then ${steadyNow} + not_before - :at when ${isPaced} then 0 end,
  enqueued_at = :at, queued_t = ${steadyNow}, expires_t = ${steadyNow} + ${waitsFrom(":at")}
where status = 'held' and due_t is null`;

export function createHeldJobs(database: Database): HeldJobs {
  const { clock } = database;

  return {
    async release(ids, by) {
      const args = { at: clock.wall(), ids: JSON.stringify(ids) };
      const [, released] = await database.write([
        { sql: auditRelease, args: { ...args, who: whoOf(by), from: by.from } },
        { sql: releaseOne, args: { ...args, now: database.now() } },
      ]);
      return database.readable(releasedRow, released).rows;
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
