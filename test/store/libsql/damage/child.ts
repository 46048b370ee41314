/**
 * Damages one column of a row of each table after another, in a plain run a sample of them, and uses the store each time. In a process of its own, because an abort
 * of the native binding takes the process along; the last line that it printed tells where.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../../../src/base/errors.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { openConnection } from "../../../../src/store/libsql/database/connect.ts";
import { createStore } from "../../../../src/store/libsql/store.ts";
import type { AnyStore } from "../../../support/any-store.ts";
import { masterKey } from "../../../support/node.ts";
import { sampled } from "../../../support/sampled.ts";
import { probes } from "./probes.ts";
import { type Column, columnsOf, tables, writeSound } from "./sound.ts";

const [folder = ""] = process.argv.slice(2);
/** Not as its owner, who would hold the jobs of a copied directory. */
const open = (directory: string) =>
  createStore({ directory, masterKey, log: silentLog, ownsDirectory: false });
const database = (directory: string) => openConnection({ at: join(directory, "patchbay.db"), shared: false });

/** SQL for what stands in the column instead. */
const kinds: readonly { readonly name: string; readonly value: string; fits(column: Column): boolean }[] = [
  { name: "not UTF-8", value: "cast(x'61ff62' as text)", fits: ({ type }) => type !== "bytes" },
  { name: "bytes", value: "x'6b'", fits: ({ type }) => type !== "bytes" },
  { name: "another word", value: "'{hidden-word'", fits: ({ type }) => type === "word" || type === "json" },
  { name: "text for bytes", value: "cast(x'61ff62' as text)", fits: ({ type }) => type === "bytes" },
  { name: "text for a number", value: "'none'", fits: ({ type }) => type === "number" },
];

const pristine = join(folder, "pristine");
mkdirSync(pristine);
await (await open(pristine)).close();
const link = await database(pristine);
await writeSound(link);
await link.read({ sql: "pragma wal_checkpoint(truncate)", args: {} });
link.close();

const damages = kinds.flatMap((kind) =>
  tables
    .flatMap((table) => columnsOf(table))
    .filter((column) => kind.fits(column))
    .map((column) => ({ kind, column })),
);
const placeOf = ({ kind, column }: (typeof damages)[number]) => `${kind.name} ${column.table} ${column.type}`;
const tableOf = ({ column }: (typeof damages)[number]) => column.table;
// Each kind in each table, once for each type of column.
const chosen = sampled(damages, 0, placeOf);
process.stdout.write(`${chosen.length} of ${damages.length} damages\n`);
for (const kind of kinds) {
  const left = [
    ...Map.groupBy(
      chosen.filter((one) => one.kind === kind),
      tableOf,
    ).values(),
  ].map((ofTable) => ofTable.map(({ column }) => column));
  // One column of each table at a time.
  const most = Math.max(...left.map(({ length }) => length));
  for (let at = 0; at < most; at++)
    await tryWith(
      left.flatMap((ofTable) => ofTable.slice(at, at + 1)),
      kind,
    );
}
process.exit(0);

async function tryWith(columns: readonly Column[], { name, value }: (typeof kinds)[number]): Promise<void> {
  const directory = join(folder, `case`);
  process.stdout.write(`${name}: ${columns.map((column) => `${column.table}.${column.name}`).join(", ")}\n`);
  mkdirSync(directory);
  copyFileSync(join(pristine, "patchbay.db"), join(directory, "patchbay.db"));
  try {
    const damaged: Column[] = [];
    for (const column of columns) if (await damage(directory, column, value)) damaged.push(column);
    await use(await open(directory), damaged);
  } catch (error) {
    process.stdout.write(`  PROBLEM ${error instanceof Error ? error.stack : error}\n`);
  }
  rmSync(directory, { recursive: true });
}

/** @returns false if SQLite itself refuses it, as in an integer primary key */
async function damage(directory: string, { table, name }: Column, value: string): Promise<boolean> {
  const link = await database(directory);
  try {
    // Triggers would copy it.
    await link.batch([
      { sql: "drop trigger if exists jobs_event", args: {} },
      { sql: `update ${table} set ${name} = ${value} where rowid = 2`, args: {} },
    ]);
    return true;
  } catch {
    return false;
  } finally {
    link.close();
  }
}

async function use(store: AnyStore, columns: readonly Column[]): Promise<void> {
  try {
    // First, since claims and the like end what is damaged.
    const { rows } = await store.damagedRows(100);
    for (const column of columns)
      if (!rows.some(({ table, reason }) => table === column.table && reason.startsWith(`${column.name} `)))
        process.stdout.write(
          `  PROBLEM ${column.table}.${column.name} is not named: ${JSON.stringify(rows)}\n`,
        );
    if (JSON.stringify(rows).includes("hidden-word"))
      process.stdout.write("  PROBLEM its content is shown\n");
    for (const [name, probe] of Object.entries(probes)) {
      try {
        const missing = await probe(store);
        if (missing !== undefined) process.stdout.write(`  PROBLEM ${name}: ${missing}\n`);
      } catch (error) {
        // Of one row by its key, which must not silently be missing.
        const isTold = error instanceof ServiceError && error.kind === "Internal";
        if (!isTold || !name.startsWith("one "))
          process.stdout.write(`  PROBLEM ${name}: ${error instanceof Error ? error.stack : error}\n`);
      }
    }
  } finally {
    await store.close();
    store.ownership.release();
  }
}
