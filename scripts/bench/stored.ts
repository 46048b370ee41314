/**
 * Creates a data directory with any number of ended jobs by SQL, for operations whose cost must not depend on
 * it.
 */
import { join } from "node:path";
import Libsql from "libsql";
import { silentLog } from "../../src/base/log.ts";
import { createCipher } from "../../src/store/cipher.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import { placeOf } from "../../src/store/tables/columns.ts";
import { jobs } from "../../src/store/tables.ts";

const atOnce = 100_000;
/** Events of the newest jobs, as many as a service keeps. */
const eventsKept = 200_000;

export interface StoredJobs {
  readonly jobs: number;
  /** Number of distinct hosts. */
  readonly hosts: number;
  /** Text sealed into each job; default: bytes that cannot be decrypted. */
  readonly texts?: { readonly asked: string; readonly result: string };
}

/** Value of `PATCHBAY_MASTER_KEY`. */
export const storedKey = "01".repeat(32);

const numbers = "with recursive n (i) as (select :from union all select i + 1 from n where i < :to)";
const idOf = (i: string, at: string) =>
  `printf('%08x-%04x-7%03x-8000-%012x', (${at}) >> 16, (${at}) & 65535, ${i} & 4095, ${i})`;

/** @param directory empty */
export async function fillDirectory(directory: string, { jobs, hosts, texts }: StoredJobs): Promise<void> {
  const masterKey = Buffer.from(storedKey, "hex");
  const store = await createStore({ directory, masterKey, log: silentLog });
  await store.close();
  store.ownership.release();
  const database = new Libsql(join(directory, "patchbay.db"));
  database.exec("pragma journal_mode=WAL; pragma synchronous=OFF; pragma cache_size=-400000");
  const kept = rowsOf(
    database,
    "select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'jobs'",
  );
  for (const [name] of kept) database.exec(`drop trigger ${name}`);
  const { insertAudit, insertJobs } = statements(database, jobs);
  for (let from = 1; from <= jobs; from += atOnce) {
    const to = Math.min(jobs, from + atOnce - 1);
    database.exec("begin");
    insertAudit.run({ from, to, hosts });
    insertJobs.run({ from, to, hosts });
    database.exec("commit");
  }
  const first = Math.max(1, jobs - eventsKept + 1);
  database
    .prepare(`insert into events (at, job_id, host, caller, status, attempt)
select ended_at, id, host, caller, status, attempt from jobs where seq >= :first order by seq`)
    .run({ first });
  for (const [, sql] of kept) database.exec(String(sql));
  if (texts !== undefined) seal(database, masterKey, texts);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
}

function statements(database: Libsql.Database, jobs: number) {
  const now = Date.now();
  // One job per millisecond, the last one an hour ago; each expires in 30 days.
  const at = `(${now - 3_600_000 - jobs} + i)`;
  const status = "case when i % 50 = 0 then 'failed' when i % 97 = 0 then 'cancelled' else 'finished' end";
  const insertJobs = database.prepare(`${numbers}
insert into jobs (id, status, strategy, queue, lane, host, host_key, driver, device_type, operation, caller, created_at,
  enqueued_at, queued_t, expires_t, ttl_ms, result_ttl_ms, started_at, ended_at, queue_ms, duration_ms, node, generation,
  worker, claim, attempt, keep_t, audit_id, asked, result, error_type)
select ${idOf("i", at)}, ${status}, 'fifo', 'fifo', 'fifo/k1/', 'h' || (i % :hosts), 'h' || (i % :hosts), 'noop', null,
  'query', 'k1', ${at}, ${at}, ${at}, ${at} + 300000, 300000, 2592000000, ${at} + 5, ${at} + 9, 5, 4, 'bench', 1,
  'bench-1', 'c' || (i / 50), 1, ${now} + 2592000000 + i, i, randomblob(180), randomblob(150),
  case when i % 50 = 0 then 'ReadTimeout' end
from n`);
  const insertAudit = database.prepare(`${numbers}
insert into audit (at, ended_at, who, action, host, job_id, outcome, detail, asked)
select ${at}, ${at} + 9, 'bench (k1)', 'device.query', 'h' || (i % :hosts), ${idOf("i", at)}, 'finished', 'noop',
  randomblob(100) from n`);
  return { insertAudit, insertJobs };
}

/** Sealed text can only be decrypted in its own row. */
function seal(
  database: Libsql.Database,
  masterKey: Uint8Array,
  { asked, result }: { readonly asked: string; readonly result: string },
): void {
  const cipher = createCipher(masterKey);
  const update = database.prepare("update jobs set asked = ?, result = ? where seq = ?");
  database.exec("begin");
  for (const [seq, given] of rowsOf(database, "select seq, id from jobs order by seq")) {
    const id = String(given);
    update.run([
      cipher.seal(asked, placeOf(jobs.asked, id)),
      cipher.seal(result, placeOf(jobs.result, id)),
      seq,
    ]);
  }
  database.exec("commit");
}

function rowsOf(database: Libsql.Database, sql: string): unknown[][] {
  return database
    .prepare(sql)
    .raw(true)
    .all()
    .map((row: unknown) => (Array.isArray(row) ? row : []));
}
