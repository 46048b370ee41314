/**
 * The database of a first start: the embedded one equals the result of the migrations, is private, and needs
 * no further writes.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { blankDatabase } from "../../../../../scripts/build/blank-database.ts";
import type { Connection } from "../../../../../src/store/libsql/database/connection.ts";
import { openFile } from "../../../../../src/store/libsql/database/file/file.ts";
import { makeDatabaseFile } from "../../../../../src/store/libsql/database/file/new-file.ts";
import { migrate } from "../../../../../src/store/libsql/database/migrate.ts";
import { temporary } from "../../../../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
const opened: Connection[] = [];
beforeEach(() => {
  folder = temporary();
});
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
  folder.remove();
});

async function rowsOf(path: string, sql: string): Promise<unknown> {
  const connection = openFile(path);
  opened.push(connection);
  return (await connection.read({ sql, args: {} })).rows;
}

const all = (text: string) => `select ${text} order by 1, 2`;
const looks = [
  all("type, name, sql from sqlite_schema"),
  all("name, 0 from migrations"),
  all("id, revision, purged from inventory_state"),
  "pragma auto_vacuum",
  "pragma journal_mode",
  "pragma integrity_check",
];

test("the embedded blank database equals the result of the migrations", async () => {
  const [built, migrated] = [join(folder.path, "built.db"), join(folder.path, "migrated.db")];
  const bytes = await blankDatabase();
  makeDatabaseFile(built, () => bytes);
  const connection = openFile(migrated);
  opened.push(connection);
  await migrate(connection);
  expect(statSync(built).mode & 0o777).toBe(0o600);
  for (const look of looks) expect(await rowsOf(built, look)).toEqual(await rowsOf(migrated, look));
  expect(Buffer.from(bytes).equals(Buffer.from(await blankDatabase()))).toBe(true);
});

test("an existing database is not changed", () => {
  const path = join(folder.path, "patchbay.db");
  writeFileSync(path, "of somebody");
  makeDatabaseFile(path, () => Buffer.from("new"));
  expect(readFileSync(path, "utf8")).toBe("of somebody");
  expect(readdirSync(folder.path)).toEqual(["patchbay.db"]);
});

test("a database created concurrently by another process is kept, without leftover files", () => {
  const path = join(folder.path, "patchbay.db");
  makeDatabaseFile(path, () => {
    writeFileSync(path, "of another");
    return Buffer.from("new");
  });
  expect(readFileSync(path, "utf8")).toBe("of another");
  expect(readdirSync(folder.path)).toEqual(["patchbay.db"]);
});

test("without an embedded database an empty file is created for the migrations", () => {
  const path = join(folder.path, "patchbay.db");
  makeDatabaseFile(path, undefined);
  const { size, mode } = statSync(path);
  expect({ size, mode: mode & 0o777 }).toEqual({ size: 0, mode: 0o600 });
});

test("opening a new database writes nothing", async () => {
  const path = join(folder.path, "patchbay.db");
  const bytes = await blankDatabase();
  makeDatabaseFile(path, () => bytes);
  const connection = openFile(path);
  opened.push(connection);
  await migrate(connection);
  const log = `${path}-wal`;
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  expect(readFileSync(path).equals(Buffer.from(bytes))).toBe(true);
});
