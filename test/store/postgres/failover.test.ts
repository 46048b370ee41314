/** What was acknowledged survives the loss of the primary, if a standby is synchronous; the service says if none is. */
import { afterEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Postgres, promote, startPostgres, startStandby } from "../../../scripts/testbed/postgres.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { temporary } from "../../support/temporary.ts";
import { endStore, facts, newJob } from "../support.ts";
import { openPostgres } from "./place.ts";

const rounds = 2;
const addressOf = (servers: readonly Postgres[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/patchbay`;

describe.skipIf(needs("postgres"))("a fail-over", () => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function started(): Promise<Postgres> {
    const primary = await startPostgres({ durable: true });
    ends.push(primary.stop);
    await primary.create("patchbay");
    return primary;
  }

  async function followed(primary: Postgres): Promise<Postgres> {
    const standby = await startStandby(primary, "standby");
    ends.push(standby.stop);
    return standby;
  }

  async function opened(...servers: readonly Postgres[]): Promise<PostgresStore> {
    const folder = temporary();
    const store = await openPostgres(addressOf(servers), folder.path);
    ends.push(folder.remove, () => endStore(store));
    return store;
  }

  test("loses nothing that was acknowledged, and a lease is not given twice", async () => {
    for (let round = 0; round < rounds; round++) {
      const primary = await started();
      const standby = await followed(primary);
      await primary.sql("alter system set synchronous_standby_names = 'standby'");
      await primary.sql("select pg_reload_conf()");
      const isSynchronous = "select count(*)::int from pg_stat_replication where sync_state = 'sync'";
      await expect.poll(() => primary.sql(isSynchronous), { timeout: 60_000 }).toEqual([[1]]);

      const store = await opened(primary, standby);
      expect(await store.doubts()).toEqual([]);
      const node = await store.nodes.acquire({ ...facts, name: "n1", home: "h1" });
      expect(node?.generation).toBe(1);

      const other = await opened(primary, standby);
      let heard = 0;
      other.events.onHeard(() => heard++);
      const acknowledged = new Set<string>();
      let isOver = false;
      const submitting = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const job = newJob(store);
          await store.jobs.insert([job]);
          acknowledged.add(job.id);
        }
      });
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(200);
      await primary.kill();
      await promote(standby);
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before + 50);
      // The other node has found the new primary too: it hears of these writes, and reads them.
      const heardBefore = heard;
      await expect.poll(() => heard, { timeout: 60_000 }).toBeGreaterThan(heardBefore);
      isOver = true;
      await Promise.all(submitting);
      expect(await other.jobs.page({}, 100_000)).toHaveLength((await store.jobs.page({}, 100_000)).length);
      // The client once sent what the primary had not taken before its greeting to the standby.
      expect(standby.log()).not.toMatch(/invalid (length of startup packet|frontend message)/);

      const stored = (await store.jobs.page({}, 100_000)).map(({ id }) => id);
      expect(new Set(stored).size).toBe(stored.length);
      expect([...acknowledged].filter((id) => !stored.includes(id))).toEqual([]);
      expect(await store.nodes.renew({ name: "n1", generation: 1 }, 30_000, 60_000)).toBe(true);
    }
  });

  test("is told when it may lose something", async () => {
    const primary = await started();
    const store = await opened(primary);
    expect(await store.doubts()).toEqual([]);
    await followed(primary);
    await expect
      .poll(() => store.doubts(), { timeout: 60_000 })
      .toEqual([expect.stringContaining("synchronous_standby_names is empty")]);
    await primary.sql("alter system set synchronous_commit = 'off'");
    await primary.sql("select pg_reload_conf()");
    await expect
      .poll(() => store.doubts(), { timeout: 60_000 })
      .toContainEqual(expect.stringContaining("synchronous_commit is off"));
  });
});
