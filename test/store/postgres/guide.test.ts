/** The set-up of docs/guides/high-availability.md, as it is written there. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Postgres, startCopy, startPostgres } from "../../../scripts/testbed/postgres.ts";
import { temporary } from "../../support/temporary.ts";
import { endStore, newJob } from "../support.ts";
import { openPostgres } from "./place.ts";

const guide = readFileSync("docs/guides/high-availability.md", "utf8");
const [, section = ""] = guide.split("## Fail-over");
const [prepare = "", promote = ""] = [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, text = ""]) => text);
const [, follows = "", more = ""] = /pg_basebackup -d '([^']*)' (.*?)-D /.exec(section) ?? [];

/** Each on its own, as psql does it. */
async function run(server: Postgres, text: string): Promise<void> {
  for (const statement of text.split(";\n").filter((one) => one.trim() !== "")) await server.sql(statement);
}

const copyOf = ({ port }: Postgres) =>
  startCopy([
    "-d",
    follows.replace("db1.example", "127.0.0.1").replace("5432", String(port)),
    ...more.split(" ").filter(Boolean),
  ]);

const isFollowed = "select count(*)::int from pg_stat_replication where sync_state = 'sync'";

describe.skipIf(needs("postgres"))("the guide for fail-over", () => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  test("makes a standby, promotes it, and replaces the former primary", async () => {
    const first = await startPostgres({ durable: true });
    ends.push(first.stop);
    await first.create("patchbay");
    await run(first, prepare);
    const second = await copyOf(first);
    ends.push(second.stop);
    await expect.poll(() => first.sql(isFollowed), { timeout: 60_000 }).toEqual([[1]]);
    const folder = temporary();
    const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`).join(",");
    const store = await openPostgres(`postgres://postgres@${hosts}/patchbay`, folder.path);
    ends.push(folder.remove, () => endStore(store));
    expect(await store.doubts()).toEqual([]);
    const jobs = Array.from({ length: 3 }, () => newJob(store));
    for (const job of jobs.slice(0, 1)) await store.jobs.insert([job]);

    await first.kill();
    await run(second, promote);
    for (const job of jobs.slice(1, 2)) await store.jobs.insert([job]);

    const third = await copyOf(second);
    ends.push(third.stop);
    await run(second, prepare.replace(/^create role.*$/m, ""));
    await expect.poll(() => second.sql(isFollowed), { timeout: 60_000 }).toEqual([[1]]);
    for (const job of jobs.slice(2)) await store.jobs.insert([job]);
    expect(await store.doubts()).toEqual([]);
    const stored = (await store.jobs.page({}, 10)).map(({ id }) => id);
    expect(stored.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
  });
});
