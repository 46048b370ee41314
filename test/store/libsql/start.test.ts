/** Problems of a data directory at start, and the messages for the operator. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Migration, migrations } from "../../../migrations/index.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { openConnection, targetOf } from "../../../src/store/libsql/database/connect.ts";
import { migrate } from "../../../src/store/libsql/database/migrate.ts";
import * as schema from "../../../src/store/tables.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

let folder: ReturnType<typeof temporary>;
beforeEach(() => {
  folder = temporary();
});
afterEach(() => folder.remove());
const place = () => ({ directory: folder.path });
const file = () => join(folder.path, "patchbay.db");

test("a second process on the same data directory is rejected with the pid of the first", async () => {
  const script = `import { ownDirectory } from ${JSON.stringify(join(process.cwd(), "src/store/libsql/database/file/lock.ts"))};
globalThis.own = await ownDirectory(${JSON.stringify(folder.path)}); console.log("mine"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await expect(openStore(place())).rejects.toMatchObject({
    kind: "Unavailable",
    message: expect.stringContaining(`The data directory is in use by pid ${child.pid}`),
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
  await closeStore(await openStore(place()));
});

test("a damaged database is rejected with instructions and left unchanged", async () => {
  const store = await openStore(place());
  await store.jobs.insert(Array.from({ length: 200 }, (_, at) => newJob(store, { host: `h${at}` })));
  await closeStore(store);
  const whole = readFileSync(file());
  const damage: [string, () => void][] = [
    [
      "header",
      () => writeFileSync(file(), Buffer.concat([Buffer.from("not a database at all"), whole.subarray(21)])),
    ],
    [
      "pages",
      () =>
        writeFileSync(
          file(),
          Buffer.concat([whole.subarray(0, 8_192), Buffer.alloc(whole.length - 8_192, 0xa5)]),
        ),
    ],
    ["cut", () => truncateSync(file(), 10_000)],
  ];
  for (const [what, apply] of damage) {
    writeFileSync(file(), whole);
    apply();
    const before = readFileSync(file());
    const error = await openStore(place()).catch((reason) => reason);
    expect(error.message, what).toContain(file());
    expect(error.message, what).toMatch(/is damaged .*Restore a backup/s);
    expect(readFileSync(file()).equals(before), what).toBe(true);
  }
  writeFileSync(file(), whole);
  await closeStore(await openStore(place()));
});

test("a database of a newer version is rejected", async () => {
  const store = await openStore(place());
  await closeStore(store);
  const link = await openConnection({ at: file(), shared: false });
  await link.batch([{ sql: "insert into migrations (name) values ('9999_future')", args: {} }]);
  link.close();
  await expect(openStore(place())).rejects.toMatchObject({ message: expect.stringContaining("9999_future") });
});

test("another master key is rejected before anything is written", async () => {
  const store = await openStore(place());
  await closeStore(store);
  await expect(openStore(place(), { masterKey: new Uint8Array(32).fill(9) })).rejects.toMatchObject({
    message: expect.stringContaining("master key"),
  });
  const rotated = await openStore(place(), {
    masterKey: new Uint8Array(32).fill(9),
    formerKeys: [new Uint8Array(32).fill(7)],
  });
  await closeStore(rotated);
});

test("a data directory that is not writable is named in the error", async () => {
  if (process.getuid?.() === 0) {
    // Root can write everywhere except below a file.
    writeFileSync(join(folder.path, "file"), "");
    const below = { directory: join(folder.path, "file", "data") };
    await expect(openStore(below)).rejects.toMatchObject({
      message: expect.stringContaining("cannot be written"),
    });
    return;
  }
  chmodSync(folder.path, 0o500);
  await expect(openStore(place())).rejects.toMatchObject({
    message: expect.stringContaining("cannot be written"),
  });
  chmodSync(folder.path, 0o700);
});

test("the database file is accessible only by its owner", async () => {
  await closeStore(await openStore(place()));
  expect(statSync(file()).mode & 0o077).toBe(0);
  expect(existsSync(join(folder.path, "reserve"))).toBe(true);
});

test("a killed migration is completed by the next start", async () => {
  const steps = [
    { name: "0000_a", statements: ["create table a (x integer)"] },
    { name: "0001_b", statements: ["create table b (x integer)", "create table a (x integer)"] },
  ];
  const link = await openConnection({ at: file(), shared: false });
  await expect(migrate(link, steps)).rejects.toThrow();
  const tables = async () =>
    (
      await link.read({ sql: "select name from sqlite_master where type = 'table' order by name", args: {} })
    ).rows.flat();
  expect(await tables()).toEqual(["a", "migrations"]);
  await migrate(link, [...steps.slice(0, 1), { name: "0001_b", statements: ["create table b (x integer)"] }]);
  expect(await tables()).toEqual(["a", "b", "migrations"]);
  link.close();
});

test("a command upgrades a database only while no process owns it", async () => {
  const earlier = migrations.slice(0, -1);
  const link = await openConnection({ at: file(), shared: false });
  await migrate(link, earlier);
  const names = async () =>
    (await link.read({ sql: "select name from migrations", args: {} })).rows.flat().length;
  const inUse = async () => Promise.reject(new Error("in use"));
  await expect(migrate(link, migrations, inUse)).rejects.toThrow("in use");
  expect(await names()).toBe(earlier.length);
  const release = vi.fn();
  await migrate(link, migrations, async () => ({ release }));
  expect([await names(), release.mock.calls.length]).toEqual([migrations.length, 1]);
  // Nothing to do: nothing is asked.
  await migrate(link, migrations, inUse);
  link.close();
});

test.each<[string, string[][], string[]]>([
  [
    "the first",
    [
      ["first", "admin"],
      ["other", "admin"],
      ["reader", "read"],
    ],
    ["first"],
  ],
  [
    "no later one of that name",
    [
      ["configured", "admin"],
      ["first", "admin"],
    ],
    [],
  ],
  ["none with another scope", [["first", "operate"]], []],
  ["none with a list of hosts", [["first", "admin", '["r1"]']], []],
])(
  "of the keys of an older version every right goes to the one that the service made: %s",
  async (_what, keys, expected) => {
    const link = await openConnection({ at: file(), shared: false });
    await migrate(
      link,
      migrations.filter(({ name }) => name < "0021"),
    );
    for (const [name = "", scope = "", hosts = "[]"] of keys)
      await link.batch([
        {
          sql: `insert into keys (id, name, hash, scope, hosts, created_at)
values (:name, :name, :name, :scope, :hosts, (select count(*) from keys))`,
          args: { name, scope, hosts },
        },
      ]);
    await migrate(link, migrations);
    const sql = "select name, rights from keys where rights is not null";
    const all = JSON.stringify(["history", "history_secrets"]);
    expect((await link.read({ sql, args: {} })).rows).toEqual(expected.map((name) => [name, all]));
    link.close();
  },
);

test("jobs and bulks of an older version are kept, and its bulks are counted", async () => {
  const link = await openConnection({ at: file(), shared: false });
  await migrate(link, migrations.slice(0, 3));
  const columns = `id, bulk_id, status, strategy, queue, lane, host, host_key, driver, operation, caller, created_at,
    enqueued_at, queued_t, expires_t, ttl_ms, result_ttl_ms`;
  const rows = [
    ["j1", "'b2'", 5],
    ["j2", "'b1'", 9],
    ["j3", "'b2'", 6],
    ["j4", "null", 7],
  ].map(([id, bulk, at]) => ({
    sql: `insert into jobs (${columns}) values ('${id}', ${bulk}, 'queued', 'fifo', 'fifo', 'fifo/k1/', 'r1', 'r1',
      'netmiko', 'config', 'k1', ${at}, 1, 1, 1, 1, 1)`,
    args: {},
  }));
  await link.batch(rows);
  link.close();
  const store = await openStore(place());
  const old = {
    caller: "k1",
    driver: "netmiko",
    operation: "config",
    label: null,
    note: null,
    stoppedAt: null,
  };
  expect(await store.bulks.find("b2")).toMatchObject({ ...old, seq: 1, total: 2, createdAt: 5 });
  expect(await store.bulks.find("b1")).toMatchObject({ ...old, seq: 2, total: 1, createdAt: 9 });
  expect(await store.jobs.page({ status: "queued" }, 10)).toHaveLength(4);
  expect(await store.jobs.find("j1")).toMatchObject({ label: null, errorType: null, retryOf: null });
  await closeStore(store);
});

test("the migrated tables match the schema", async () => {
  const link = await openConnection({ at: file(), shared: false });
  await migrate(link);
  for (const table of Object.values(schema)) {
    if (!(table instanceof SQLiteTable)) continue;
    const { name, columns } = getTableConfig(table);
    const { rows } = await link.read({ sql: `select name from pragma_table_info('${name}')`, args: {} });
    // In any order: a table is stated by what its columns are for.
    expect(rows.flat().map(String).sort(), name).toEqual(columns.map((column) => column.name).sort());
  }
  link.close();
});

test("a remote database server needs TLS and a token", () => {
  expect(targetOf("/f", undefined)).toEqual({ at: "/f", shared: false });
  expect(targetOf("/f", "http://127.0.0.1:8080")).toMatchObject({
    at: "http://127.0.0.1:8080",
    shared: true,
  });
  expect(targetOf("/f", "libsql://db.example", secret("t"))).toMatchObject({ at: "https://db.example" });
  const each = targetOf("/f", "http://127.0.0.1:8080?streams=each");
  expect(each).toMatchObject({ at: "http://127.0.0.1:8080", keepsStreams: false });
  const bads = ["http://db.example", "libsql://db.example?tls=0", "ftp://x", "nonsense"];
  for (const bad of [...bads, "https://db.example?streams=none"])
    expect(() => targetOf("/f", bad, secret("t"))).toThrow("The database URL");
  expect(() => targetOf("/f", "https://db.example")).toThrow("token");
});

test("a new database is what all steps, one after the other, make of an empty one", async () => {
  const madeBy = async (name: string, ...parts: (readonly Migration[])[]) => {
    const link = await openConnection({ at: join(folder.path, name), shared: false });
    for (const steps of parts) await migrate(link, steps);
    const answer = async (sql: string) => (await link.read({ sql, args: {} })).rows;
    const texts = await answer("select type, name, tbl_name, sql from sqlite_master order by type, name");
    const tables = texts.filter(([type]) => type === "table").map(([, name]) => String(name));
    const rows = await Promise.all(
      // SQLite keeps a zero for a counter whose table was once made anew.
      tables.map((table) =>
        answer(`select * from "${table}" ${table === "sqlite_sequence" ? "where seq > 0" : ""}`),
      ),
    );
    link.close();
    return { texts, rows };
  };
  const whole = await madeBy("whole.db", migrations);
  expect(whole).toEqual(await madeBy("steps.db", migrations.slice(0, 1), migrations));
  expect(whole.rows.flat().length).toBeGreaterThan(migrations.length);
});

test("the generated migrations match the SQL files", () => {
  execFileSync(process.execPath, ["scripts/embed-migrations.ts", "--check"]);
});
