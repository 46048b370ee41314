/** Claims: one statement assigns queued jobs to this node and increments their attempts. */
import { randomUUID } from "node:crypto";
import { workerPrefix } from "../../../api/admin/worker.ts";
import { type ClaimedJob, type Claims, claimOrder, type NodeFence } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, outOfIndexes, steadyNow } from "../../sql/notation.ts";
import { columnNames, fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs, queues } from "../../tables.ts";
import { shareField } from "../jobs/listing.ts";
import type { DamagedJobs } from "./damaged-jobs.ts";
import { createRecordIntent, openIntent } from "./intents.ts";

/** The lease of the node must be valid: a node that was suspended claims nothing when it resumes. */
const leaseLasts = `exists (select 1 from nodes n
    where n.name = :node and n.generation = :generation and n.state = 'up' and n.lease_t > ${steadyNow})`;

/** Idempotent: a claim repeated after a lost response finds the jobs it took, and takes no more. */
const notYetTaken = `not exists (select 1 from jobs t indexed by jobs_running
    where t.status = 'running' and t.node = :node and t.generation = :generation and t.claim = :claim)`;

/** @param worker SQL expression for the name of the worker that gets the job */
const takeAs = (
  worker: string,
) => `update jobs set status = 'running', node = :node, generation = :generation,
  claim = :claim, worker = ${worker}, attempt = attempt + 1, started_at = :at, sending_at = null,
  queue_ms = greatest(0, ${steadyNow} - queued_t)
where ${outOfIndexes("status")} = 'queued' and ${leaseLasts} and ${notYetTaken}`;

const laneOrder = columnNames(jobs, claimOrder.withinLane).join(", ");

/**
 * The first jobs of a lane. SQLite is told the index: its planner would read all queued jobs by status. PostgreSQL is
 * asked for a range, so that only this index has the order, and passes over a job that a hand in the database has
 * locked.
 */
const firstOf = (lane: string, limit: string) => `select seq from jobs indexed by jobs_ready
    where status = 'queued' and ${either(`lane = ${lane}`, `lane between ${lane} and ${lane}`)}
      and expires_t > ${steadyNow} order by ${either("", "lane, ")}${laneOrder} limit ${limit}${either("", " for update skip locked")}`;

/** PostgreSQL chooses the jobs once (`array`), before any is updated. */
const isAmong = (chosen: string) => `seq ${either("in (", "= any(array(")}${chosen}${either(")", "))")}`;

// Numbers are bound as reals on SQLite; without the cast the name would end in `.0`.
const claimFifo = `${takeAs(":worker || (seq % cast(:fifo_workers as integer))")}
  and ${isAmong(firstOf(":lane", ":count"))}`;

/** Takes the head of each queue; the queue must be leased by this node and have no running job. */
const claimPinned = `${takeAs(":worker || queue")}
  and ${isAmong(`select (${firstOf("pinned.value", "1")}) from each(:queues) pinned`)}
  and exists (select 1 from queues h where h.name = jobs.queue and h.node = :node and h.generation = :generation)
  and not exists (select 1 from jobs r indexed by jobs_pinned
    where r.queue = jobs.queue and r.status = 'running' and r.strategy = 'pinned')`;

/** A queue is free if no node has leased it, or if its node's lease has expired and it has no running job. */
const takeQueues = `insert into queues (name, node, generation, fence, since_t)
select distinct given.value, :node, :generation, 1, ${steadyNow} from each(:queues) given where true
on conflict (name) do update
  set node = excluded.node, generation = excluded.generation, fence = queues.fence + 1, since_t = excluded.since_t
where not exists (select 1 from nodes n where n.name = queues.node and n.generation = queues.generation
    and n.state <> 'dead' and n.lease_t > ${steadyNow})
  and not exists (select 1 from jobs r indexed by jobs_pinned
    where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')`;

const queueRow = rowShape(fieldsOf(queues, "name"));
const selectQueues = `select ${queueRow.columns} from queues
where node = :node and generation = :generation and name in :queues`;

const claimedRow = rowShape({
  ...fieldsOf(
    jobs,
    "seq",
    "id",
    "bulkId",
    "strategy",
    "queue",
    "lane",
    "host",
    "hostKey",
    "device",
    "driver",
    "deviceType",
    "operation",
    "caller",
    "worker",
    "startedAt",
    "ttlMs",
    "lost",
    "retries",
    "queueMs",
    "hasWebhook",
    "attempt",
    "sent",
    "payload",
  ),
  ...shareField,
});
type ClaimedRow = ReturnType<typeof claimedRow.read>[number];
const selectClaimed = `select ${claimedRow.columns} from jobs indexed by jobs_running
where status = 'running' and node = :node and generation = :generation and claim = :claim`;

const stopRow = rowShape(fieldsOf(jobs, "id", "stop"));

export function createClaims(database: Database, damagedJobs: DamagedJobs): Claims {
  const { clock, cipher } = database;

  function claimedJobs(rows: readonly ClaimedRow[], node: NodeFence): ClaimedJob[] {
    return rows.map(({ attempt, lost, sent, payload, queueMs, ...job }) => ({
      ...job,
      fence: { ...node, id: job.id, attempt },
      // Set by the claiming statement.
      worker: job.worker ?? "",
      startedAt: job.startedAt ?? 0,
      waitedMs: queueMs ?? 0,
      lostAttempts: lost,
      sentBefore: sent === null ? [] : openIntent(cipher, sent, job.id).lines,
      payload: payload === null ? undefined : cipher.tryOpen(payload, placeOf(jobs.payload, job.id)),
    }));
  }

  return {
    async claim(node, request) {
      const fence = { node: node.name, generation: node.generation };
      const token = randomUUID();
      const claims: Statement[] = [];
      const add = (sql: string, args: Args) => {
        const claim = `${token}.${claims.length}`;
        claims.push(
          { sql, args: { ...fence, ...args, claim, at: clock.wall() } },
          { sql: selectClaimed, args: { ...fence, claim } },
        );
      };
      const worker = workerPrefix(node.name, "fifo");
      for (const { lane, count } of request.fifo)
        add(claimFifo, { lane, count, worker, fifo_workers: request.fifoWorkers });
      if (request.pinned.length > 0)
        add(claimPinned, {
          queues: request.pinned,
          worker: workerPrefix(node.name, "pinned"),
        });
      const queueArgs = { ...fence, queues: request.unheld };
      const takes = [takeQueues, selectQueues].map((sql) => ({ sql, args: queueArgs }));
      const before = request.unheld.length === 0 ? [] : takes;
      // Needs no fsync: everything that the job does is recorded after the claim in the WAL, so nothing of it can be on
      // disk without the claim.
      const results = await database.write([...before, ...claims], { early: true, repeatable: true });
      const claimed = results
        .slice(before.length)
        .filter((_, index) => index % 2 === 1)
        .map((rows) => database.readable(claimedRow, rows));
      const damaged = claimed.flatMap(({ damaged }, index) =>
        damaged.map(({ fields }) => ({ seq: fields.seq, lane: request.fifo[index]?.lane ?? fields.lane })),
      );
      // If this fails, the check of held claims finds them.
      await damagedJobs.end(damaged.flatMap(({ seq }) => seq ?? [])).catch(() => 0);
      return {
        jobs: claimed.flatMap(({ rows }) => claimedJobs(rows, node)).sort((a, b) => a.seq - b.seq),
        damaged: damaged.flatMap(({ lane }) => lane ?? []),
        taken: before.length > 0 ? queueRow.read(results[1]).map(({ name }) => name) : [],
      };
    },

    recordIntent: createRecordIntent(database),

    async requestStop(ids, why) {
      await database.write([
        {
          sql: `update jobs set stop = :why
where +status = 'running' and stop is null and id in :ids`,
          args: { why, ids },
        },
      ]);
    },

    async stopRequests(node) {
      const rows = await database.list(stopRow, {
        sql: `select ${stopRow.columns} from jobs indexed by jobs_stop
where status = 'running' and stop is not null and node = :node`,
        args: { node: node.name },
      });
      return rows.flatMap(({ id, stop }) => (stop === null ? [] : [{ id, why: stop }]));
    },
  };
}
