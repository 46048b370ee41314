/** A PostgreSQL server for a row, with the settings of its package: what is committed is on disk. */
import { type Postgres, startPostgres } from "../../testbed/postgres.ts";

export async function withPostgres<T>(
  work: (at: { readonly url: string; readonly server: Postgres }) => Promise<T>,
): Promise<T> {
  const server = await startPostgres({ durable: true });
  try {
    await server.create("bench");
    return await work({ url: server.url("bench"), server });
  } finally {
    await server.stop();
  }
}
