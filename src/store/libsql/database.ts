/** What the parts of the store share: the serial writer, reads beside it, Drizzle over both, and the time of decisions. */
import { DrizzleQueryError } from "drizzle-orm/errors";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { pause, within } from "../../base/deadline.ts";
import type { Clock } from "../port.ts";
import type { Cipher } from "./cipher.ts";
import type { Cell, Connection, Rows, Statement } from "./connect.ts";
import { faultOf, unavailable } from "./faults.ts";
import type { Writer } from "./writer.ts";

export interface Database {
  readonly write: Writer["write"];
  readonly chore: Writer["chore"];
  read(statement: Statement): Promise<Rows>;
  /** Builds queries for `ask`; what they write goes through the serial writer. */
  readonly orm: SqliteRemoteDatabase;
  /** Runs a query, and throws what the store threw: Drizzle puts it into an error that quotes the parameters. */
  ask<T>(query: PromiseLike<T>): Promise<T>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
  /** Argument of `nowSql`: our steady time; null lets the server's own clock decide, which all nodes share. */
  now(): number | null;
}

/** One argument: `database.now()`. */
export const nowSql = "coalesce(?, cast(unixepoch('subsec') * 1000 as integer))";

export interface DatabaseOptions {
  readonly writer: Writer;
  readonly reader: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
}

const readTries = 8;
/** All tries of one question together. */
const readMs = 2_500;
/** A server that lost one answer gives the next one; one that hangs is not asked again and again. */
const readAgainMs = 1_000;

const endless = new AbortController().signal;
const noAnswer = () => new Error("The server did not answer in time.");

export function createDatabase({ writer, reader, cipher, clock, shared }: DatabaseOptions): Database {
  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readMs - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        const answer = reader.read(statement);
        // A file answers before anything else runs.
        return await (shared ? within(answer, leftMs(), endless, noAnswer) : answer);
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readTries || (shared && leftMs() < readMs - readAgainMs);
        if (fault === "broken" || late) throw unavailable(fault, error);
        await pause(5 * 2 ** tries);
        await reader.reopen();
      }
    }
  }

  const run = async (sql: string, args: Statement["args"]) => {
    const statement = { sql, args };
    if (/^\s*\(?\s*(select|with|explain|pragma)\b/i.test(sql)) return await read(statement);
    const [rows] = await writer.write([statement]);
    return rows;
  };
  const orm = drizzle(async (sql, args, method) => {
    const rows = (await run(sql, args))?.rows ?? [];
    return { rows: method === "get" ? [...(rows[0] ?? [])] : rows.map((row) => [...row]) };
  });
  return {
    write: writer.write,
    chore: writer.chore,
    read,
    orm,
    async ask(query) {
      try {
        return await query;
      } catch (error) {
        throw error instanceof DrizzleQueryError ? (error.cause ?? error) : error;
      }
    },
    cipher,
    clock,
    shared,
    now: () => (shared ? null : clock.steady()),
  };
}

/** A built query as a statement for the writer. */
export function statementOf(query: { toSQL(): { sql: string; params: unknown[] } }): Statement {
  const { sql, params } = query.toSQL();
  // Drizzle has turned every parameter into what a driver takes.
  return { sql, args: params as Statement["args"][number][] };
}

/** Rows as objects by column name. */
export function named(rows: Rows | undefined): Record<string, Cell>[] {
  return (rows?.rows ?? []).map((row) =>
    Object.fromEntries(row.map((cell, at) => [rows?.columns[at] ?? String(at), cell])),
  );
}

export const asText = (cell: Cell | undefined): string => String(cell ?? "");
export const asNumber = (cell: Cell | undefined): number => Number(cell ?? 0);
export const asTextOrNull = (cell: Cell | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);
export const asBytes = (cell: Cell | undefined): Uint8Array | undefined =>
  cell instanceof Uint8Array ? cell : undefined;
