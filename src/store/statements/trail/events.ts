/** The log of status changes: read by position, trimmed at its oldest end. Triggers write it (migration `events`). */
import type { EventLog, JobChange } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import { namesBut } from "../../tables/columns.ts";
import { events, jobs } from "../../tables.ts";
import { changeSubmitter, submitterFields } from "../jobs/listing.ts";

/** The rows are adjacent: a batch takes about 2 ms on a file. */
const trimmedAtOnce = 2_000;

const changeRow = rowShape({ ...fieldsOf(events, ...namesBut(events)), ...changeSubmitter });
const jobNow = rowShape({
  ...fieldsOf(
    jobs,
    "id",
    "bulkId",
    "host",
    "caller",
    "status",
    "errorType",
    "attempt",
    "node",
    "dryRun",
    "device",
  ),
  ...submitterFields("jobs"),
  // The same expression as in the triggers.
  at: number(
    "at",
    `case when status = 'running' then started_at
    when status in ('queued', 'held') then enqueued_at else ended_at end`,
  ),
  lastN: orNull(number("last_n", "(select max(n) from events)")),
  lastJob: orNull(text("last_job", "(select job_id from events order by n desc limit 1)")),
});
/** Only existing jobs that have started have times; the newest change may outlive its job. */
const endRow = rowShape({
  at: number("at", "events.at"),
  host: text("host", "events.host"),
  caller: text("caller", "events.caller"),
  status: text("status", "events.status"),
  errorType: orNull(text("error_type", "events.error_type")),
  durationMs: orNull(
    number("duration_ms", "case when jobs.started_at is null then null else jobs.duration_ms end"),
  ),
  queueMs: orNull(number("queue_ms", "case when jobs.started_at is null then null else jobs.queue_ms end")),
});
const oldestRow = rowShape({ at: number("at") });

const markRow = rowShape(fieldsOf(events, "n", "jobId"));

const ended = ["finished", "failed", "cancelled"] as const;

function unreadable(n: number): JobChange {
  const nothing = {
    ...{ bulkId: null, errorType: null, node: null, dryRun: null, device: null },
    ...{ submitterKind: null, submitter: null },
  };
  return {
    n,
    at: 0,
    jobId: "",
    host: "",
    caller: "",
    status: "failed",
    attempt: 0,
    ...nothing,
    damaged: true,
  };
}

/** Where the kept rows begin: by count, and by the first row of the oldest batch that is recent enough. */
const trim = `delete from events where n < least(
  (select max(n) from events),
  (select min(n) from events) + ${trimmedAtOnce},
  greatest(
    (select max(n) from events) - :kept_count + 1,
    coalesce(
      (select min(n) from (select n, at from events order by n limit ${trimmedAtOnce}) t1 where at >= :before),
      (select min(n) from events) + ${trimmedAtOnce})))`;

export function createEventLog(database: Database): EventLog {
  const { clock } = database;

  async function after(n: number, limit: number): Promise<JobChange[]> {
    const answer = await database.read({
      sql: `select ${changeRow.columns} from events where n > :n order by n limit :limit`,
      args: { n, limit },
    });
    const { rows, damaged } = database.readable(changeRow, answer);
    if (damaged.length === 0) return rows;
    // Positions have no gaps.
    const gaps = damaged.flatMap(({ fields }) => (fields.n === undefined ? [] : [unreadable(fields.n)]));
    return [...rows, ...gaps].sort((a, b) => a.n - b.n);
  }

  return {
    after,

    async ends(after, upTo) {
      const args = { after, up_to: upTo };
      const [rows, [oldest]] = await Promise.all([
        database.list(endRow, {
          sql: `select ${endRow.columns} from events left join jobs on jobs.id = events.job_id
where n > :after and n <= :up_to and events.status in (${ended.map((status) => `'${status}'`).join(", ")})
order by n desc`,
          args,
        }),
        database.select(oldestRow, {
          sql: `select ${oldestRow.columns} from events where n > :after and n <= :up_to order by n limit 1`,
          args,
        }),
      ]);
      const ends = rows.flatMap(({ status: statusText, ...end }) => {
        const status = ended.find((candidate) => candidate === statusText);
        return status === undefined ? [] : [{ ...end, status }];
      });
      return { ends, oldestAt: oldest?.at };
    },

    async last() {
      const answer = await database.read({
        sql: `select ${markRow.columns} from events order by n desc limit 1`,
        args: {},
      });
      const { rows, damaged } = database.readable(markRow, answer);
      return rows[0] ?? { n: damaged[0]?.fields.n ?? 0, jobId: "" };
    },

    async ofJob(id) {
      const [found] = await database.select(jobNow, {
        sql: `select ${jobNow.columns} from jobs where id = :id`,
        args: { id },
      });
      if (found === undefined) return undefined;
      const { id: jobId, lastN, lastJob, ...job } = found;
      return { job: { ...job, jobId }, last: { n: lastN ?? 0, jobId: lastJob ?? "" } };
    },

    onWritten: database.onCommit,
    onHeard: database.onHeard,

    async trim(keptMs, keptCount) {
      const [trimmed] = await database.write(
        [{ sql: trim, args: { before: clock.wall() - keptMs, kept_count: keptCount } }],
        { essential: true },
      );
      return (trimmed?.changes ?? 0) >= trimmedAtOnce;
    },
  };
}
