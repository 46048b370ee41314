/** No statement in a job's life scans a whole table: its cost does not grow with the number of stored jobs. */
import { expect, test } from "vitest";
import { deviceHistoryStates } from "../../../src/api/history/history.ts";
import type { Connection } from "../../../src/store/libsql/database/connection.ts";
import { chosen } from "../../../src/store/sql/notation.ts";
import type { Statement } from "../../../src/store/sql/statement.ts";
import { isAt, moveTargets } from "../../../src/store/statements/changes/moves.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";
import { configured, importedVersion } from "../support.ts";

test("every statement of a job's life cycle uses an index", async () => {
  const folder = temporary();
  const seen = new Map<string, Statement>();
  let reader: Connection | undefined;
  const wrap = (link: Connection): Connection => {
    reader = link;
    const note = (all: readonly Statement[]) => {
      for (const statement of all)
        seen.set(statement.sql, { ...statement, sql: chosen(statement.sql, "libsql") });
    };
    return {
      ...link,
      batch: (statements) => {
        note(statements);
        return link.batch(statements);
      },
      read: (statement) => {
        note([statement]);
        return link.read(statement);
      },
    };
  };
  const node = await startNode({ directory: folder.path, store: { wrap } });
  const hook = { options: { webhook: { url: "http://127.0.0.1:1/x" } } };
  const ids = [
    await node.submit(query("r1", ["show a", "show b"], hook), admin, "key-1"),
    await node.submit(query("r2", "fail x", { options: { queue_strategy: "fifo" } })),
    await node.submit(query("r3", "quiet")),
  ];
  for (const id of ids) await node.ended(id);
  const running = await node.submit(query("r1", "hang"));
  const waiting = await node.submit(query("r1", "show c"));
  while (node.pool.running() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await node.jobs.cancel({ id: waiting }, false, admin);
  await node.jobs.cancel({ host: "r1" }, true, admin);
  await node.ended(running);
  for (const filter of [
    { status: "failed" },
    { host: "r1" },
    { queue: "fifo" },
    { driver: "netmiko" },
    { bulk_id: "b" },
    { error_type: "ReadTimeout" },
    { label: "night", status: "failed" },
    { ticket: "CHG-7" },
    { tag: "core" },
    { until: "2020-01-01T00:00:00Z" },
  ] as const)
    for await (const _ of (await node.jobs.page(filter, admin, { limit: 5 })).pieces);
  for await (const _ of node.jobs.list({ since: "2020-01-01T00:00:00Z" }, admin, {}));
  await readBulks(node);
  for await (const _ of node.jobs.list({ id: running }, admin, {}));
  await node.jobs.waitForBulk("b", 1, new AbortController().signal);
  await node.scheduler.sweep();
  await node.store.recovery.expired(10);
  expect(seen.size).toBeGreaterThan(20);
  expect(await scansOf(seen.values(), reader)).toEqual([]);
  await requireNarrow([...seen.values()], reader);
  await node.stop();
  folder.remove();
});

test("the devices that a change moves are found by their positions, the list is read once", async () => {
  const folder = temporary();
  let reader: Connection | undefined;
  const node = await startNode({
    directory: folder.path,
    store: { wrap: (link) => (reader = link) },
  });
  const moves = [0, 1].map((position) => ({ position, state: "pushing", reason: null, jobId: "j" }) as const);
  const steps: string[] = [];
  for (const { sql, args } of moveTargets({ id: "c", step: 1 }, moves, isAt)) {
    const plan = await reader?.read({ sql: `explain query plan ${sql}`, args });
    steps.push(...(plan?.rows.map((row) => String(row[3])) ?? []));
  }
  expect(steps).toContainEqual(
    expect.stringMatching(/^SEARCH change_targets .*\(change_id=\? AND position=\?\)$/),
  );
  expect(steps.filter((step) => step.includes("json_each"))).toHaveLength(1);
  await node.stop();
  folder.remove();
});

test("devices by what is known of their configurations are found by indexes, page by page", async () => {
  const folder = temporary();
  let reader: Connection | undefined;
  const seen = new Map<string, Statement>();
  const wrap = (link: Connection): Connection => {
    reader = link;
    return {
      ...link,
      read: (statement) => {
        seen.set(statement.sql, statement);
        return link.read(statement);
      },
    };
  };
  const node = await startNode({ directory: folder.path, store: { wrap } });
  const { history } = node.store;
  await history.add(configured("sw1"), [importedVersion("1")]);
  for (const state of deviceHistoryStates) {
    await history.devices({ state }, 10);
    await history.devices({ state, after: "a", until: "z" }, 10);
  }
  await history.readNames("a", 10);
  await history.suspects(10);
  const steps: string[] = [];
  for (const { sql, args } of seen.values()) {
    if (!/config_(?:versions|devices)/.test(sql)) continue;
    const plan = await reader?.read({ sql: `explain query plan ${chosen(sql, "libsql")}`, args });
    steps.push(...(plan?.rows.map((row) => String(row[3])) ?? []));
  }
  const perDevice = "SEARCH config_versions USING COVERING INDEX config_versions_good (device=? AND part=?)";
  expect(steps).toContain(perDevice);
  // Those that are suspect are few, and have an index of their own.
  const scans = steps.filter((step) =>
    /^SCAN config_(?!versions USING INDEX config_versions_suspect$)/.test(step),
  );
  expect(scans).toEqual([]);
  await node.stop();
  folder.remove();
});

async function readBulks(node: Node): Promise<void> {
  const { bulk_id: bulk } = await node.bulk(query("r4", "quiet", { devices: [{ host: "r4" }] }));
  await node.jobs.waitForBulk(bulk, 120_000, new AbortController().signal);
  for (const who of [admin, { ...admin, keyId: "k2", hosts: ["r4"] }]) {
    for (const status of ["running", "ended", "stopped"] as const)
      await node.jobs.bulks({ status }, who, { limit: 5 });
    await node.jobs.bulkRecord(bulk, who);
  }
  await node.jobs.cancelBulk(bulk, true, admin);
}

/** Statements that run repeatedly while a hundred thousand jobs wait. */
async function requireNarrow(statements: readonly Statement[], reader: Connection | undefined) {
  const planOf = async (wanted: RegExp) => {
    const found = statements.filter(({ sql }) => wanted.test(sql));
    expect(found).not.toEqual([]);
    const plans = found.map(({ sql, args }) => reader?.read({ sql: `explain query plan ${sql}`, args }));
    return (await Promise.all(plans)).flatMap((plan) => plan?.rows.map((row) => String(row[3])) ?? []);
  };
  // By receiver: deliveries waiting for a busy receiver are skipped for the others.
  const deliveries = (await planOf(/:busy/)).filter((step) => /deliveries_(due|next|order)/.test(step));
  expect(deliveries).toEqual([]);
  // Lanes are counted from the index alone.
  const lanes = (await planOf(/group by lane/)).filter((step) => /jobs_ready/.test(step));
  expect(lanes).toEqual([expect.stringContaining("COVERING INDEX jobs_ready")]);
}

/** Steps of the statements that scan a whole table. */
async function scansOf(statements: Iterable<Statement>, reader: Connection | undefined): Promise<string[]> {
  const scans: string[] = [];
  for (const { sql, args } of statements) {
    if (
      /^\s*(pragma|create|drop index|alter table|insert into migrations|select cast\(json_array\((\(max\(coalesce|iif\(name >= x'', 0, name\)\) as blob\) as packed from migrations))/i.test(
        sql,
      )
    )
      continue;
    const plan = await reader?.read({ sql: `explain query plan ${sql}`, args });
    for (const row of plan?.rows ?? []) {
      const step = String(row[3]);
      // Uses a partial index of waiting and running jobs, or an index order with a limit: both stay small.
      const fine =
        /USING (COVERING )?INDEX (jobs_(ready|expiry|running|stop|pinned|keep)|deliveries_(due|next|held))/.test(
          step,
        );
      // By status alone, a statement scans all ended jobs: only an explicit request of a caller may.
      if (/INDEX jobs_status/.test(step) && !/^select cast\(json_array\(iif\((seq|waiting) /.test(sql))
        scans.push(`${step} <- ${sql}`);
      if (/SCAN (jobs|j|q|r|deliveries|d|p|audit)\b/.test(step) && !fine)
        scans.push(`${step} <- ${sql.slice(0, 160)}`);
    }
  }
  return scans;
}
