/**
 * Statements are SQL text that both stores take. Where they differ, a statement is written in this notation, and the
 * store that runs it writes out its own form (`database/statement.ts` of each), once per text:
 *
 * - `id in :ids`, `id not in :ids`: a list of texts or numbers is one parameter; `each(:ids) one` are its items as a
 *   table, `one.value`.
 * - `with ${given.definition} …`: rows as a table (`givenColumns`, `givenMany`).
 * - `from jobs indexed by jobs_ready`, `+status`: hints for the planner of SQLite, which the others leave out.
 * - `least(…)`, `greatest(…)`, `strpos(…)`; `rowid`, the number of a row in a table that states none.
 * - `body ->> '$.change'`: a member of a JSON text.
 * - `either(…)` for what is left.
 *
 * A statement that needs another plan or another lock in each store is no case for it: it belongs into each store.
 */

const [open, between, close] = ["⟦", "¦", "⟧"] as const;
/** Without another one in it. */
const choice = /⟦([^⟦¦⟧]*)¦([^⟦¦⟧]*)⟧/g;

/** A part of a statement that each store says in its own words. */
export const either = (libsql: string, postgres: string) => `${open}${libsql}${between}${postgres}${close}`;

/**
 * A column that is compared, but by which no row is looked up: a plan of PostgreSQL that was made while few rows had a
 * status would read all that have it later.
 */
export const outOfIndexes = (column: string, kind: "text" | "number" = "text") =>
  either(`+${column}`, kind === "text" ? `(${column} || '')` : `(${column} + 0)`);

/** SQLite joins in the order in which the tables stand, and PostgreSQL as it likes. */
export const joinInOrder = either("cross join", "join");

/** Whether a text is JSON; members and items of one that is not are none on PostgreSQL, and an error of SQLite. */
export const isJson = (text: string) => either(`json_valid(${text})`, "true");

/** The texts of a JSON list, as the table `name (value)`. */
export const itemsOf = (text: string, name: string) =>
  either(`json_each(${text}) ${name}`, `patchbay_list(${text}) ${name} (value)`);

/** The objects of a JSON list, likewise; a member is `value ->> 'name'`. */
export const objectsOf = (text: string, name: string) =>
  either(`json_each(${text}) ${name}`, `patchbay_items(${text}) ${name} (value)`);

export type Dialect = "libsql" | "postgres";

/** The words of one store. */
export function chosen(sql: string, dialect: Dialect): string {
  let text = sql;
  while (text.includes(open)) text = text.replace(choice, dialect === "libsql" ? "$1" : "$2");
  return text;
}

/**
 * The steady time in ms: the clock of the server, which all nodes share; of a file, that of its only process. A statement
 * reads it once in each place: as a subquery PostgreSQL looks it up in an index.
 */
export const steadyNow = either(
  "coalesce(:steady_now, cast(unixepoch('subsec') * 1000 as integer))",
  "(select (extract(epoch from clock_timestamp()) * 1000)::bigint)",
);

/** The wall clock of the store in ms since 1970, likewise. */
export const wallNow = either(
  "coalesce(:wall_now, cast(unixepoch('subsec') * 1000 as integer))",
  "(select (extract(epoch from clock_timestamp()) * 1000)::bigint)",
);
