/**
 * A schema upgrade that is killed before any of its statements, or that a power cut ends after any part of its log: the
 * next start ends it, with all data and the schema of a new database.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import Libsql from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import { createCipher } from "../../../src/store/cipher.ts";
import { openFile } from "../../../src/store/libsql/database/file/file.ts";
import { migrate } from "../../../src/store/libsql/database/migrate.ts";
import { openDatabase } from "../../../src/store/libsql/database/open.ts";
import { masterKey } from "../../support/node.ts";
import { sampled } from "../../support/sampled.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
const old = join(folder.path, "old.db");
const name = "patchbay.db";
/** What an upgrade without incident makes of it. */
let wanted: unknown;
let schema: unknown;
let program: string;

/**
 * Opens the database as a start does, and counts the statements. Is killed before statement `KILL_AT`; without, puts
 * into `STATES` what a kill before a statement would leave: the files as they are then, each content once.
 */
const upgrade = `import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Libsql from "libsql";
import { createCipher } from "./src/store/cipher.ts";
import { openDatabase } from "./src/store/libsql/database/open.ts";
const { DATABASE: database, KILL_AT: killAt, STATES: states } = process.env;
const at = Number(killAt);
let count = 0;
const seen = new Set();
function keepState() {
  const files = ["", "-wal", "-shm"].map((ending) => database + ending).filter((path) => existsSync(path));
  const hash = new Bun.CryptoHasher("sha256");
  for (const path of files) hash.update(path).update(readFileSync(path));
  const content = hash.digest("hex");
  if (seen.has(content)) return;
  seen.add(content);
  const folder = join(states, String(count));
  mkdirSync(folder);
  for (const path of files) copyFileSync(path, join(folder, path.slice(dirname(database).length + 1)));
}
const { prepare } = Libsql.prototype;
Libsql.prototype.prepare = function (...args) {
  const statement = prepare.apply(this, args);
  for (const way of ["run", "all"]) {
    const next = statement[way];
    statement[way] = function (...values) {
      if (++count === at) process.kill(process.pid, "SIGKILL");
      if (states !== undefined) keepState();
      return next.apply(this, values);
    };
  }
  return statement;
};
await openDatabase({ at: database, shared: false }, createCipher(new Uint8Array(32).fill(7)), undefined);
process.stdout.write(String(count));
process.kill(process.pid, "SIGKILL");`;

/** Compiled once, since it starts several times. */
async function compile(): Promise<string> {
  const entry = resolve("upgrade.ts");
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: upgrade },
    target: "bun",
    external: ["libsql"],
  });
  // Beside the packages, where it finds libSQL.
  const cache = join("node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const path = join(mkdtempSync(join(cache, "upgrade-")), "upgrade.js");
  await Bun.write(path, outputs[0] ?? "");
  return path;
}

/** @returns the number of statements; nothing if it was killed before one. */
async function upgraded(database: string, more: { KILL_AT?: string; STATES?: string } = {}): Promise<string> {
  const env = { PATH: process.env.PATH, DATABASE: database, ...more };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  expect((await once(child, "close"))[1]).toBe("SIGKILL");
  return text;
}

/** The oldest schema with rows in every table. */
async function makeOld(): Promise<void> {
  const link = openFile(old);
  await migrate(link, migrations.slice(0, 1));
  const { rows: tables } = await link.read(plain("select name from sqlite_master where type = 'table'"));
  for (const table of tables
    .flat()
    .map(String)
    .filter((one) => !/^(sqlite_|migrations)/.test(one))) {
    const { rows: columns } = await link.read(plain(`select name, type from pragma_table_info('${table}')`));
    for (let n = 1; n <= 5; n++) {
      const values = columns.map(([column, type]) => sampleOf(String(column), String(type), n));
      await link.batch([plain(`insert into ${table} values (${values.join(", ")})`)]);
    }
  }
  await link.read(plain("pragma wal_checkpoint(truncate)"));
  link.close();
  rmSync(`${old}-wal`, { force: true });
}

function sampleOf(column: string, type: string, n: number): string {
  if (type.toLowerCase() === "integer") return String(n * 11);
  return type.toLowerCase() === "blob" ? `x'0${n}'` : `'${column}-${n}'`;
}

const plain = (sql: string) => ({ sql, args: {} });

/** A fresh folder with the old database. */
function placed(at: string): string {
  mkdirSync(join(folder.path, at));
  const database = join(folder.path, at, name);
  copyFileSync(old, database);
  return database;
}

/** The whole content after a start; the word that checks the master key is sealed anew each time. */
async function started(database: string): Promise<{ schema: unknown; rows: unknown }> {
  const target = { at: database, shared: false };
  const { connection, reader } = await openDatabase(target, createCipher(masterKey), undefined);
  const read = async (sql: string) => (await connection.read(plain(sql))).rows;
  try {
    expect(await read("pragma integrity_check")).toEqual([["ok"]]);
    const schema = await read("select type, name, tbl_name, sql from sqlite_master order by name");
    const rows: Record<string, unknown> = {};
    for (const [type, table] of schema)
      if (type === "table")
        rows[String(table)] = await read(
          `select * from ${table}${table === "meta" ? " where key <> 'key'" : ""}`,
        );
    return { schema, rows };
  } finally {
    connection.close();
    reader.close();
  }
}

beforeAll(async () => {
  await makeOld();
  program = await compile();
  ({ schema, rows: wanted } = await started(placed("reference")));
});
afterAll(() => {
  folder.remove();
  rmSync(dirname(program), { recursive: true, force: true });
});

test("the upgraded schema is that of a new database, and the rows are kept", async () => {
  expect(schema).toEqual((await started(join(folder.path, "new.db"))).schema);
  const before = new Libsql(old).prepare("select id, host, created_at from jobs").raw(true).all();
  const after = new Libsql(join(folder.path, "reference", name));
  expect(after.prepare("select id, host, created_at from jobs").raw(true).all()).toEqual(before);
  expect(before).toHaveLength(5);
});

/** Of the statements, so many are not followed by a real kill. */
const killedEach = 50;
/** How many a plain run looks at, spread over early, middle and late migrations. */
const [stateSample, killSample, cutSample] = [15, 6, 18];
const partOf = (total: number) => (at: number | string) => String(Math.floor((3 * (Number(at) - 1)) / total));

test("killed before any of its statements, the next start ends it", async () => {
  const states = join(folder.path, "states");
  mkdirSync(states);
  const total = Number(await upgraded(placed("counted"), { STATES: states }));
  expect(total).toBeGreaterThan(migrations.flatMap(({ statements }) => statements).length);
  const left = readdirSync(states);
  // At least one for each migration: what a transaction has written so far is in no file before its commit.
  expect(left.length).toBeGreaterThan(migrations.length);
  left.sort((one, other) => Number(one) - Number(other));
  for (const at of sampled(left, stateSample, partOf(total)))
    expect(await started(join(states, at, name)), `statement ${at}`).toEqual({ schema, rows: wanted });
  const killedAt = Array.from({ length: Math.ceil(total / killedEach) }, (_, at) => 1 + at * killedEach);
  for (const at of sampled(killedAt, killSample, partOf(total))) {
    const database = placed(`killed-${at}`);
    expect(await upgraded(database, { KILL_AT: String(at) }), `statement ${at}`).toBe("");
    expect(await started(database), `statement ${at}`).toEqual({ schema, rows: wanted });
  }
}, 1_800_000);

/** Of the pages of the log, so many are no end of a transaction and no page before it. */
const cutEach = 25;

test("cut off after pages of its log, at each end of a transaction, the next start ends it", async () => {
  const database = placed("whole");
  await upgraded(database);
  const log = readFileSync(`${database}-wal`);
  const [header, frame] = [32, 24 + 4096];
  expect((log.length - header) % frame).toBe(0);
  const frames = (log.length - header) / frame;
  // The second word of a frame is the size of the database, if the frame ends a transaction.
  const ends = Array.from({ length: frames }, (_, at) => at).filter(
    (at) => log.readUInt32BE(header + frame * at + 4) !== 0,
  );
  // The old database has the first one.
  expect(ends.length).toBeGreaterThanOrEqual(migrations.length - 1);
  const cuts = [...ends, ...ends.map((at) => at + 1)];
  for (let at = 0; at <= frames; at += cutEach) cuts.push(at);
  const kindOf = (at: number) =>
    ends.includes(at) ? "before an end" : ends.includes(at - 1) ? "behind an end" : "between";
  const all = [...new Set(cuts)].sort((one, other) => one - other);
  for (const whole of sampled(all, cutSample, kindOf)) {
    const cut = placed(`cut-${whole}`);
    // Half of the next page has reached the disk, too.
    writeFileSync(`${cut}-wal`, log.subarray(0, header + frame * (whole + 1 / 2)));
    expect(await started(cut), `${whole} pages`).toEqual({ schema, rows: wanted });
    rmSync(join(cut, ".."), { recursive: true });
  }
}, 900_000);
