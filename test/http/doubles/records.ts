/** Responses of the fake `Jobs`. */

import type { MadeKey } from "../../../src/api/access/key.ts";
import type { LoginSessionRecord } from "../../../src/api/access/login-session.ts";
import type { MeRecord, PersonRecord, RolePreview, RoleRecord } from "../../../src/api/access/person.ts";
import type { StatisticsRecord } from "../../../src/api/admin/statistics.ts";
import type { WorkerRecord } from "../../../src/api/admin/worker.ts";
import type { BulkDetail } from "../../../src/api/jobs/bulk.ts";
import type { DetachedTaskRecord } from "../../../src/api/jobs/detached.ts";
import type { JobRecord, JobTicket } from "../../../src/api/jobs/job.ts";

export const ticket: JobTicket = {
  id: "0198c0de-0000-7000-8000-000000000001",
  status: "queued",
  queue: "fifo",
  created_at: "2026-01-31T08:00:00.000+00:00",
};

export function jobRecord(n: number): JobRecord {
  return {
    ...ticket,
    id: `0198c0de-0000-7000-8000-${String(n).padStart(12, "0")}`,
    status: "finished",
    driver: "netmiko",
    host: "192.0.2.1",
    device_type: "cisco_ios",
    operation: "query",
    submitted_by: { kind: "key", name: "ops" },
    enqueued_at: ticket.created_at,
    started_at: ticket.created_at,
    ended_at: ticket.created_at,
    duration: 1.5,
    queue_time: 0.1,
    worker: "node.fifo.1",
    attempt: 1,
    result: { type: "success", retval: { "show version": `version ${n}` }, error: null },
  };
}

export const bulkDetail: BulkDetail = {
  ...{ id: "bulk-1", status: "running", driver: "netmiko", operation: "query", label: "night" },
  submitted_by: { kind: "key", name: "ops" },
  ...{ created_at: ticket.created_at, ended_at: null, total: 3 },
  counts: { queued: 1, held: 0, running: 0, finished: 1, failed: 1, cancelled: 0 },
  ...{ error_types: { ReadTimeout: 1 }, with_warnings: 0, with_refusals: 0, rate: 0.1, eta_seconds: 10 },
  first_failures: [{ id: "j1", host: "h1", error: { type: "ReadTimeout", message: "No prompt came." } }],
  without_result: { count: 2, hosts: ["h1", "h2"] },
};

export function workerRecord(name: string): WorkerRecord {
  return {
    name,
    status: "idle",
    pid: 1,
    hostname: "node",
    node: "node",
    queues: ["fifo"],
    current_job: null,
    last_heartbeat: ticket.created_at,
    birth_at: ticket.created_at,
    successful_job_count: 0,
    failed_job_count: 0,
  };
}

export const detachedRecord: DetachedTaskRecord = {
  id: ticket.id,
  host: "192.0.2.1",
  driver: "paramiko",
  state: "running",
  submitted_by: { kind: "key", name: "name-operate" },
  exit_status: null,
  created_at: "2026-01-01T00:00:00.000+00:00",
  started_at: null,
  ended_at: null,
  seen_at: null,
  command: "make",
};

/** Token of a login session with the scope `operate`. */
export const sessionToken = "pbs_token-of-a-session-0123456789";

export const loginSession: LoginSessionRecord = {
  ...{
    id: "session-1",
    key: "name-operate",
    scope: "operate",
    hosts: [],
    recipes: null,
    rights: [],
    person: null,
    current: true,
  },
  ...{ created_at: ticket.created_at, last_seen_at: ticket.created_at, expires_at: ticket.created_at },
  ...{ address: null, agent: null },
};

export const madeKey: MadeKey = {
  id: "k1",
  name: "branch",
  scope: "read",
  hosts: [],
  credentials: null,
  recipes: null,
  rights: [],
  expires_at: null,
  certificate: null,
  key: "pb_made",
};

const noTimes = { p50: null, p95: null, max: null };
export const statistics: StatisticsRecord = {
  ...{ since: "2026-01-31T07:00:00+00:00", until: "2026-01-31T08:00:00+00:00", complete: true },
  ...{ step_seconds: 60, counts: { finished: 0, failed: 0, cancelled: 0 }, error_types: {} },
  ...{ run: noTimes, wait: noTimes, steps: [] },
};

const held = {
  role: "net",
  scope: "operate",
  hosts: [],
  credentials: null,
  recipes: null,
  rights: [],
} as const;

export const personRecord: PersonRecord = {
  ...{ id: "p1", name: "anna", email: null, issuer: "https://id.example.net", subject: "s-1", groups: [] },
  ...{ state: "in_force", ...held, blocked_at: null },
  ...{ created_at: ticket.created_at, signed_in_at: ticket.created_at },
};
export const meRecord: MeRecord = {
  ...{ kind: "person", id: "p1", name: "anna", person: "anna", ...held, expires_at: null },
};
export const rolePreview: RolePreview = { ...held, because: "It is the first.", others: [] };
export const roleRecord: RoleRecord = {
  ...{ name: "net", position: 100, issuer: null, groups: ["net"], subjects: [] },
  ...{ scope: "operate", hosts: [], credentials: null, recipes: null, rights: [] },
  ...{ created_at: ticket.created_at, changed_at: ticket.created_at },
};
