/** One connection to the database, a file or a libSQL server: batches that are transactions, reads, reopening. */
import { closeSync, openSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Client, createClient, type InValue, type ResultSet } from "@libsql/client";
import { ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secret.ts";

export interface Statement {
  readonly sql: string;
  readonly args: readonly InValue[];
}

export type Cell = string | number | bigint | boolean | null | Uint8Array;
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that were inserted, updated or deleted. */
  readonly changes: number;
}

export interface Link {
  /** All or nothing. */
  batch(statements: readonly Statement[]): Promise<Rows[]>;
  read(statement: Statement): Promise<Rows>;
  /** Statements that stand outside of any transaction. */
  script(sql: string): Promise<void>;
  /** After SQLITE_BUSY a file connection reports success and commits nothing: only a new one is safe. */
  reopen(): Promise<void>;
  close(): void;
}

export interface Place {
  /** Absolute path of a file, or URL of a server. */
  readonly at: string;
  /** Several nodes may use it at the same time. */
  readonly shared: boolean;
  readonly token?: Secret | undefined;
}

/** Longer waits would stop the event loop: a file connection waits synchronously. */
const busyTimeoutMs = 20;
/** Weight of one synchronous stretch, about 10 ms; others get a turn of the event loop in between. */
const stretch = 200;
const requestTimeoutMs = 2_500;

/** @throws ServiceError Validation when a server beyond loopback would be used without token or without TLS. */
export function placeOf(file: string, url?: string, token?: Secret): Place {
  if (url === undefined || url === "") return { at: file, shared: false };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["http:", "https:", "libsql:"].includes(parsed.protocol))
    throw refused("must begin with http://, https:// or libsql://");
  const clear = parsed.protocol === "http:" || parsed.searchParams.get("tls") === "0";
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname);
  if (!loopback && (clear || token === undefined))
    throw refused("beyond this machine needs TLS (https:// or libsql://) and a token, since it holds jobs");
  parsed.searchParams.delete("tls");
  const address = parsed.href.replace(/^\w+:/, clear ? "http:" : "https:").replace(/\/$/, "");
  return { at: address, shared: true, token };
}

function refused(why: string): ServiceError {
  return new ServiceError("Validation", `The database URL ${why}.`);
}

export async function openLink(place: Place): Promise<Link> {
  const limit = { ms: requestTimeoutMs };
  let client = await open(place, limit);
  return {
    batch(statements) {
      // A bulk of 10,000 takes a server more than a moment.
      limit.ms = requestTimeoutMs + weightOf(statements);
      const heavy = !place.shared && weightOf(statements) > 2 * stretch;
      return heavy ? long(client, statements) : short(client, statements);
    },
    async read(statement) {
      return plain(await client.execute({ sql: statement.sql, args: [...statement.args] }));
    },
    script: (sql) => client.executeMultiple(sql),
    async reopen() {
      // Requests to a server stand alone: closing would cut those of others that are under way.
      if (place.shared) return;
      client.close();
      client = await open(place, limit);
    },
    close: () => client.close(),
  };
}

async function open(place: Place, limit: { readonly ms: number }): Promise<Client> {
  if (place.shared) {
    const authToken = place.token?.reveal();
    // The client itself waits for ever.
    const timed = (request: Request | string | URL, init?: RequestInit) =>
      fetch(request, { ...init, signal: AbortSignal.timeout(limit.ms) });
    return createClient({ url: place.at, fetch: timed, ...(authToken === undefined ? {} : { authToken }) });
  }
  makePrivate(place.at);
  const url = pathToFileURL(place.at).href;
  const client = createClient({ url, timeout: busyTimeoutMs, concurrency: 1 });
  try {
    for (const pragma of ["auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=FULL"])
      await client.execute(`PRAGMA ${pragma}`);
    await client.execute("PRAGMA journal_size_limit=67108864");
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/**
 * Made before SQLite would, so that nobody else on the machine can read it. An existing file is never opened here:
 * closing any descriptor of it drops the locks this process holds, and another process then damages the database.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
}

async function short(client: Client, statements: readonly Statement[]): Promise<Rows[]> {
  const results = await client.batch(
    statements.map((one) => ({ sql: one.sql, args: [...one.args] })),
    "write",
  );
  return results.map(plain);
}

/** 10,000 inserts hold the loop for 0.4 s when they are one call. */
async function long(client: Client, statements: readonly Statement[]): Promise<Rows[]> {
  const transaction = await client.transaction("write");
  try {
    const results: Rows[] = [];
    let weight = 0;
    for (const one of statements) {
      results.push(plain(await transaction.execute({ sql: one.sql, args: [...one.args] })));
      weight += weightOf([one]);
      if (weight < stretch) continue;
      weight = 0;
      await turn();
    }
    await transaction.commit();
    return results;
  } finally {
    transaction.close();
  }
}

/** How long statements take, in rows: one of many rows has as many times the arguments of one. */
export function weightOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, one) => sum + 1 + one.args.length / 25, 0);
}

/** Lets everything else that waits have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function plain(result: ResultSet): Rows {
  const width = result.columns.length;
  return {
    columns: result.columns,
    rows: result.rows.map((row) => {
      const cells: Cell[] = new Array(width);
      for (let at = 0; at < width; at++) {
        const value = row[at];
        cells[at] = value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);
      }
      return cells;
    }),
    changes: result.rowsAffected,
  };
}
