/** Claims: a queued job becomes this node's in one statement that also counts the attempt. */
import { randomUUID } from "node:crypto";
import { workerPrefix } from "../../model/worker.ts";
import type { ClaimedJob, ClaimRequest, ClaimResult, Claims, NodeFence, StopReason } from "../port.ts";
import type { Rows, Statement } from "./connect.ts";
import { asBytes, asNumber, asText, asTextOrNull, type Database, named, nowSql } from "./database.ts";
import { seals } from "./seals.ts";
import { createSending, sentLines } from "./sending.ts";

/** What a claim has taken, now or when it was sent before. */
const taken = `select seq, id, bulk_id, strategy, queue, lane, host, host_key, driver, device_type, operation, caller, worker,
started_at, ttl_ms, lost, retries, hooked, attempt, sent, payload from jobs indexed by jobs_running where status = 'running' and node = ? and generation = ? and claim = ?`;
const untaken =
  "not exists (select 1 from jobs t indexed by jobs_running where t.status = 'running' and t.node = ? and t.generation = ? and t.claim = ?)";

// Indexes are named: left to itself, the planner reads all that waits by its status to find the head of one lane.
/** The node's own lease must last: a node that was frozen claims nothing when it wakes. */
const alive = `exists (select 1 from nodes n where n.name = ? and n.generation = ? and n.state = 'up' and n.lease_t > ${nowSql})`;

const take = `update jobs set status = 'running', node = ?, generation = ?, claim = ?, worker = ?, attempt = attempt + 1,
started_at = ?, sending_at = null, queue_ms = max(0, ${nowSql} - queued_t)`;

// Numbers are bound as reals: without the cast the name would end in `.0`.
const claimFifo = `${take.replace("worker = ?", "worker = ? || (seq % cast(? as integer))")}
where +status = 'queued' and ${alive} and ${untaken} and seq in (
  select seq from jobs indexed by jobs_ready where status = 'queued' and lane = ? and expires_t > ${nowSql} order by seq limit ?
)`;

const claimPinned = `${take.replace("worker = ?", "worker = ? || queue")}
where +status = 'queued' and ${alive} and ${untaken} and seq in (
  select (select q.seq from jobs q indexed by jobs_ready where q.status = 'queued' and q.lane = e.value and q.expires_t > ${nowSql} order by q.seq limit 1)
  from json_each(?) e
)
and exists (select 1 from queues h where h.name = jobs.queue and h.node = ? and h.generation = ?)
and not exists (select 1 from jobs r indexed by jobs_pinned where r.queue = jobs.queue and r.status = 'running' and r.strategy = 'pinned')`;

/** A queue is free when nobody has it, or when the life of the node that had it is over. */
const takeQueues = `insert into queues (name, node, generation, fence, since_t)
select value, ?, ?, 1, ${nowSql} from json_each(?) where true
on conflict (name) do update set node = excluded.node, generation = excluded.generation, fence = fence + 1, since_t = excluded.since_t
where not exists (select 1 from nodes n where n.name = queues.node and n.generation = queues.generation
  and n.state <> 'dead' and n.lease_t > ${nowSql})
and not exists (select 1 from jobs r indexed by jobs_pinned where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')
returning name`;

const heldQueues =
  "select name from queues where node = ? and generation = ? and name in (select value from json_each(?))";

export function createClaims(database: Database): Claims {
  const { clock, cipher } = database;

  async function claim(node: NodeFence, wanted: ClaimRequest): Promise<ClaimResult> {
    const now = database.now();
    const at = clock.wall();
    const unheld = JSON.stringify(wanted.unheld);
    const before: Statement[] =
      wanted.unheld.length === 0
        ? []
        : [
            { sql: takeQueues, args: [node.name, node.generation, now, unheld, now] },
            { sql: heldQueues, args: [node.name, node.generation, unheld] },
          ];
    const mine = [node.name, node.generation];
    const token = randomUUID();
    const statements: Statement[] = [];
    const add = (sql: string, argsOf: (claim: string) => Statement["args"]) => {
      const claim = `${token}.${statements.length}`;
      statements.push({ sql, args: argsOf(claim) }, { sql: taken, args: [...mine, claim] });
    };
    for (const { lane, count } of wanted.fifo) {
      const worker = [workerPrefix(node.name, "fifo"), wanted.fifoWorkers];
      add(claimFifo, (claim) => [
        ...mine,
        claim,
        ...worker,
        at,
        now,
        ...mine,
        now,
        ...mine,
        claim,
        lane,
        now,
        count,
      ]);
    }
    if (wanted.pinned.length > 0) {
      const queues = JSON.stringify(wanted.pinned);
      const worker = workerPrefix(node.name, "pinned");
      add(claimPinned, (claim) => [
        ...[...mine, claim, worker, at, now],
        ...[...mine, now],
        ...[...mine, claim],
        ...[now, queues, ...mine],
      ]);
    }
    const results = await database.write([...before, ...statements]);
    return {
      jobs: results
        .slice(before.length)
        .filter((_, index) => index % 2 === 1)
        .flatMap((rows) => claimedJobs(rows, node))
        .sort((a, b) => a.seq - b.seq),
      taken: before.length > 0 ? (results[1]?.rows ?? []).map((row) => asText(row[0])) : [],
    };
  }

  function claimedJobs(rows: Rows, node: NodeFence): ClaimedJob[] {
    return named(rows).map((row) => {
      const id = asText(row.id);
      return {
        fence: { ...node, id, attempt: asNumber(row.attempt) },
        seq: asNumber(row.seq),
        bulkId: asTextOrNull(row.bulk_id),
        strategy: row.strategy === "pinned" ? "pinned" : "fifo",
        queue: asText(row.queue),
        lane: asText(row.lane),
        host: asText(row.host),
        hostKey: asText(row.host_key),
        driver: asText(row.driver),
        deviceType: asTextOrNull(row.device_type),
        operation: row.operation === "config" ? "config" : "query",
        caller: asText(row.caller),
        worker: asText(row.worker),
        startedAt: asNumber(row.started_at),
        ttlMs: asNumber(row.ttl_ms),
        lostAttempts: asNumber(row.lost),
        retries: asNumber(row.retries),
        sentBefore: sentBefore(id, asBytes(row.sent)),
        hasWebhook: row.hooked === 1,
        payload: cipher.tryOpen(asBytes(row.payload), seals.payload(id)),
      };
    });
  }

  function sentBefore(id: string, sealed: Uint8Array | undefined): string[] {
    return sealed === undefined ? [] : sentLines(cipher, sealed, id);
  }

  /** The node that runs a job is told by its own poll; the word stands in the row until then. */
  async function requestStop(ids: readonly string[], why: "cancel" | "worker"): Promise<void> {
    await database.write([
      {
        sql: "update jobs set stop = ? where +status = 'running' and stop is null and id in (select value from json_each(?))",
        args: [why, JSON.stringify(ids)],
      },
    ]);
  }

  /** Jobs of this node that were asked to stop. */
  async function stopRequests(node: NodeFence): Promise<{ id: string; why: StopReason }[]> {
    const rows = await database.read({
      sql: "select id, stop from jobs indexed by jobs_stop where status = 'running' and stop is not null and node = ?",
      args: [node.name],
    });
    return rows.rows.map(([id, why]) => ({ id: asText(id), why: why === "worker" ? "worker" : "cancel" }));
  }

  return { claim, recordIntent: createSending(database), requestStop, stopRequests };
}
