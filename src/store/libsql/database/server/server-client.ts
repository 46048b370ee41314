/**
 * A connection to a libSQL server through the package's client, which opens a stream for every request: slower, but it
 * works with every version of the protocol.
 */
import { createClient, type ResultSet } from "@libsql/client";
import type { Cell, Rows } from "../../../sql/rows.ts";
import { costOf, type Statement } from "../../../sql/statement.ts";
import type { Connection, Target } from "../connection.ts";
import { bind } from "../statement.ts";

const requestTimeoutMs = 2_500;

export function openClient(target: Target): Connection {
  const authToken = target.token?.reveal();
  let limitMs = requestTimeoutMs;
  // The client itself has no timeout.
  const timed = (request: Request | string | URL, init?: RequestInit) =>
    fetch(request, { ...init, signal: AbortSignal.timeout(limitMs) });
  const client = createClient({
    url: target.at,
    fetch: timed,
    ...(authToken === undefined ? {} : { authToken }),
  });
  return {
    turn: () => undefined,
    async batch(statements) {
      // A server needs longer for a bulk of 10,000 jobs.
      limitMs = requestTimeoutMs + costOf(statements);
      const results = await client.batch(statements.map(asRequest), "write");
      return results.map(asRows);
    },
    // When a server fsyncs is its own setting (docs/guides/scaling.md).
    synced: () => undefined,
    async read(statement) {
      return asRows(await client.execute(asRequest(statement)));
    },
    script: (sql) => client.executeMultiple(sql),
    // Requests are independent: closing would abort those of other callers.
    async reopen() {},
    close: () => client.close(),
  };
}

function asRequest(statement: Statement) {
  const { sql, values } = bind(statement);
  return { sql, args: [...values] };
}

function asRows(result: ResultSet): Rows {
  const width = result.columns.length;
  return {
    columns: result.columns,
    rows: result.rows.map((row) => {
      const cells: Cell[] = new Array(width);
      for (let index = 0; index < width; index++) {
        const value = row[index];
        cells[index] = value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);
      }
      return cells;
    }),
    changes: result.rowsAffected,
  };
}
