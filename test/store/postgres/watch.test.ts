/** Nodes hear of each other's writes; a way to the server that has died without a word is given up. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { silentLog } from "../../../src/base/log.ts";
import { addressOf } from "../../../src/store/postgres/database/address.ts";
import { watchOthers } from "../../../src/store/postgres/database/watch.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { temporary } from "../../support/temporary.ts";
import { endStore, newJob } from "../support.ts";
import { type Line, startLine } from "./line.ts";
import { openPostgres, useDatabases, useServer } from "./place.ts";

/** The probe of a listener and its answer take 15 s at most, on a quiet machine. */
const timeout = 90_000;

describe.skipIf(needs("postgres"))("a node on PostgreSQL", () => {
  const serverOf = useServer();
  const makeDatabase = useDatabases(serverOf);
  const folders = [temporary(), temporary()] as const;
  let line: Line;
  let writer: PostgresStore;
  let node: PostgresStore;
  let heard = 0;
  let stopHearing: () => void;
  let remove: () => Promise<void>;

  async function start(parameters: Record<string, string> = {}): Promise<void> {
    const database = await makeDatabase();
    remove = database.remove;
    writer = await openPostgres(database.url, folders[0].path);
    const url = new URL(database.url);
    line = await startLine(Number(url.port));
    url.port = String(line.port);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    node = await openPostgres(url.href, folders[1].path);
    heard = 0;
    stopHearing = node.events.onHeard(() => heard++);
  }

  /** Of jobs that the other node writes. */
  const hears = () =>
    expect
      .poll(
        async () => {
          const before = heard;
          await writer.jobs.insert([newJob(writer)]);
          await new Promise((resolve) => setTimeout(resolve, 50));
          return heard > before;
        },
        { timeout, interval: 100 },
      )
      .toBe(true);

  beforeEach(() => start());
  afterEach(async () => {
    await endStore(writer);
    await endStore(node);
    await line.stop();
    await remove();
  });

  test("hears of what another one writes, and not of itself", async () => {
    await hears();
    const settled = async () => {
      const was = heard;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return heard === was;
    };
    await expect.poll(settled, { timeout }).toBe(true);
    const before = heard;
    await node.jobs.insert([newJob(node)]);
    await node.jobs.insert([newJob(node)]);
    expect(heard).toBe(before);
  });

  test("hears only while somebody listens", async () => {
    await hears();
    const server = await serverOf();
    const ended = "select count(*) from pg_stat_activity where query ilike 'unlisten%'";
    const stopOther = node.events.onHeard(() => {});
    stopOther();
    stopHearing();
    await expect.poll(() => server.sql(ended), { timeout }).toEqual([["1"]]);
    stopHearing = node.events.onHeard(() => heard++);
    await hears();
  });

  test("stops listening also after its connection was lost and made again", async () => {
    await hears();
    const server = await serverOf();
    const listening = "select pid from pg_stat_activity where query ilike 'listen%'";
    const [[former] = []] = await server.sql(listening);
    await server.sql(`select pg_terminate_backend(${former})`);
    await expect
      .poll(async () => (await server.sql(listening)).map(([pid]) => pid !== former), { timeout })
      .toEqual([true]);
    await hears();
    stopHearing();
    await expect.poll(() => server.sql(listening), { timeout }).toEqual([]);
    await writer.jobs.insert([newJob(writer)]);
    stopHearing = node.events.onHeard(() => heard++);
    await hears();
  });

  test("renewed several times at once, it tells each news once", async () => {
    const server = await serverOf();
    const { url } = await makeDatabase();
    let news = 0;
    const watch = watchOthers(addressOf(url), "me", silentLog);
    watch.onNews(() => news++);
    await Promise.all([watch.renew(), watch.renew(), watch.renew()]);
    news = 0;
    await server.session(new URL(url).pathname.slice(1))("select pg_notify('patchbay', 'other')");
    await expect.poll(() => news, { timeout }).toBeGreaterThan(0);
    expect(news).toBe(1);
    await watch.close();
  });

  test.each(["localhost", "localhost:1,localhost"])(
    "closed at any moment it leaves no connection: %s",
    async (hosts) => {
      const server = await serverOf();
      const url = new URL((await makeDatabase()).url);
      const name = url.pathname.slice(1);
      const address = addressOf(url.href.replace(url.hostname, hosts));
      for (let at = 0; at < 40; at++) {
        const watch = watchOthers(address, "me", silentLog);
        watch.onNews(() => {});
        const renewed = at % 3 === 0 ? watch.renew() : undefined;
        await new Promise((resolve) => setTimeout(resolve, at / 2));
        await watch.close();
        await renewed;
      }
      const left = `select query from pg_stat_activity where datname = '${name}'`;
      await expect.poll(() => server.sql(left), { timeout: 20_000 }).toEqual([]);
    },
  );

  test("hears again after its connections were ended, or pass nothing on, and writes meanwhile", async () => {
    await hears();
    const server = await serverOf();
    await server.sql("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'");
    await hears();
    line.freeze();
    await node.jobs.insert([newJob(node)]);
    await hears();
  });
});
