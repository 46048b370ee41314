/** Held jobs: released, they wait in their old order as if submitted now. */
import type { HeldJobs } from "../port.ts";
import { type Database, steadyNow } from "./database/database.ts";
import { fieldsOf, rowShape } from "./database/rows.ts";
import { jobs } from "./database/schema.ts";

const release = `update jobs set status = 'queued', enqueued_at = :at, queued_t = ${steadyNow},
  expires_t = ${steadyNow} + ttl_ms`;
const releasedRow = rowShape(fieldsOf(jobs, "id", "lane", "strategy", "bulkId", "caller"));

export function createHeldJobs(database: Database): HeldJobs {
  const { clock } = database;

  return {
    async release(ids) {
      const [released] = await database.write([
        {
          sql: `${release}
where +status = 'held' and id in (select value from json_each(:ids)) returning ${releasedRow.columns}`,
          args: { at: clock.wall(), now: database.now(), ids: JSON.stringify(ids) },
        },
      ]);
      return releasedRow.read(released);
    },

    async releaseAll() {
      const [released] = await database.write(
        [{ sql: `${release} where status = 'held'`, args: { at: clock.wall(), now: database.now() } }],
        { patienceMs: 60_000 },
      );
      return released?.changes ?? 0;
    },
  };
}
