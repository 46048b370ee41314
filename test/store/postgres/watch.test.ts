/** Nodes hear of each other's writes; a way to the server that has died without a word is given up. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
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
