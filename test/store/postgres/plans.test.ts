/** Plans that the server made for an empty database serve it when it is full: none reads a table as a whole. */
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { temporary } from "../../support/temporary.ts";
import { endOf } from "../contract/fixture.ts";
import { claimRequest, endStore, facts, newJob } from "../support.ts";
import { openPostgres, useDatabases, useServer } from "./place.ts";

const rounds = 60;
const waiting = 300;

describe.skipIf(needs("postgres"))("plans on PostgreSQL", () => {
  const serverOf = useServer();
  const makeDatabase = useDatabases(serverOf);

  test("the way of a job reads as few rows in a database that filled up as in an empty one", async () => {
    const { url, remove } = await makeDatabase();
    const folder = temporary();
    const store = await openPostgres(url, folder.path);
    const acquired = await store.nodes.acquire({ ...facts, name: "n1" });
    if (acquired === undefined) throw new Error("no lease");
    const node = acquired;
    const hosts = Array.from({ length: 8 }, (_, at) => `r${at}`);
    const queues = hosts.map((host) => `pinned_${host}`);

    async function round(): Promise<void> {
      const pinned = hosts.map((host) => newJob(store, { host }));
      const fifo = hosts.map((host) => newJob(store, { host, strategy: "fifo" }));
      await store.jobs.insert([...pinned, ...fifo]);
      const { jobs } = await store.claims.claim(node, claimRequest(queues, [{ lane: "fifo/k1/", count: 8 }]));
      expect(jobs).toHaveLength(16);
      await Promise.all(jobs.map(({ fence }) => store.claims.recordIntent(fence, ["x"], 0)));
      await Promise.all(jobs.map(({ fence }) => store.settlements.end(endOf(fence.id), { fence })));
    }

    await round();
    const others = Array.from({ length: waiting }, () =>
      newJob(store, { host: "far", strategy: "fifo", lane: "fifo/k2/" }),
    );
    await store.jobs.insert(others);
    for (let count = 1; count < rounds; count++) await round();
    await endStore(store);

    const server = await serverOf();
    const name = new URL(url).pathname.slice(1);
    const sessions = `select count(*)::int from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
    // What a session has read is counted when it has ended.
    await expect.poll(() => server.sql(sessions, name), { timeout: 60_000 }).toEqual([[0]]);
    const read = await server.sql(
      `select relname, (seq_tup_read + idx_tup_fetch) / ${rounds * 16} from pg_stat_user_tables
where relname in ('jobs', 'audit', 'events') and (seq_tup_read + idx_tup_fetch) / ${rounds * 16} > 10`,
      name,
    );
    expect(read).toEqual([]);
    folder.remove();
    await remove();
  });
});
