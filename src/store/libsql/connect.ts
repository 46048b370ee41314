/** One connection to the database, a file or a libSQL server: batches that are transactions, reads, reopening. */
import { createClient, type InValue, type ResultSet } from "@libsql/client";
import { ServiceError } from "../../base/errors.ts";
import type { Secret } from "../../base/secret.ts";
import { openFile } from "./file.ts";
import { costOf } from "./statement-cost.ts";

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

export interface Connection {
  /** All or nothing. */
  batch(statements: readonly Statement[]): Promise<Rows[]>;
  read(statement: Statement): Promise<Rows>;
  /** Statements that stand outside of any transaction. */
  script(sql: string): Promise<void>;
  /** After SQLITE_BUSY a file connection reports success and commits nothing: only a new one is safe. */
  reopen(): Promise<void>;
  close(): void;
}

export interface Target {
  /** Absolute path of a file, or URL of a server. */
  readonly at: string;
  /** Several nodes may use it at the same time. */
  readonly shared: boolean;
  readonly token?: Secret | undefined;
}

const requestTimeoutMs = 2_500;

/** @throws ServiceError Validation when a server beyond loopback would be used without token or without TLS. */
export function targetOf(file: string, url?: string, token?: Secret): Target {
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

export async function openConnection(place: Target): Promise<Connection> {
  return place.shared ? openServer(place) : openFile(place.at);
}

function openServer(place: Target): Connection {
  const authToken = place.token?.reveal();
  let limitMs = requestTimeoutMs;
  // The client itself waits for ever.
  const timed = (request: Request | string | URL, init?: RequestInit) =>
    fetch(request, { ...init, signal: AbortSignal.timeout(limitMs) });
  const client = createClient({
    url: place.at,
    fetch: timed,
    ...(authToken === undefined ? {} : { authToken }),
  });
  return {
    async batch(statements) {
      // A bulk of 10,000 takes a server more than a moment.
      limitMs = requestTimeoutMs + costOf(statements);
      const results = await client.batch(
        statements.map((one) => ({ sql: one.sql, args: [...one.args] })),
        "write",
      );
      return results.map(plain);
    },
    async read(statement) {
      return plain(await client.execute({ sql: statement.sql, args: [...statement.args] }));
    },
    script: (sql) => client.executeMultiple(sql),
    // Requests stand alone: closing would cut those of others that are under way.
    async reopen() {},
    close: () => client.close(),
  };
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
