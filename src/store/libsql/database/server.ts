/** A connection to a libSQL server. */
import { createClient, type ResultSet } from "@libsql/client";
import type { Cell, Connection, Rows, Target } from "./connection.ts";
import { bind, costOf, type Statement } from "./statement.ts";

const requestTimeoutMs = 2_500;

export function openServer(target: Target): Connection {
  const authToken = target.token?.reveal();
  let limitMs = requestTimeoutMs;
  const timed = (request: Request) => {
    // Left to itself the server packs each answer: 63 ms of its time for 1,000 jobs, and 8 ms without.
    request.headers.set("Accept-Encoding", "identity");
    // The client itself waits for ever.
    return fetch(request, { signal: AbortSignal.timeout(limitMs) });
  };
  const client = createClient({
    url: target.at,
    fetch: timed,
    ...(authToken === undefined ? {} : { authToken }),
  });
  return {
    async batch(statements) {
      // A bulk of 10,000 takes a server more than a moment.
      limitMs = requestTimeoutMs + costOf(statements);
      const results = await client.batch(statements.map(asRequest), "write");
      return results.map(asRows);
    },
    async read(statement) {
      return asRows(await client.execute(asRequest(statement)));
    },
    script: (sql) => client.executeMultiple(sql),
    // Requests stand alone: closing would cut those of others that are under way.
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
