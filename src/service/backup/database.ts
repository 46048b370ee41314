/** Checks that a database copy is intact by reading all of it. */
import { messageOf, ServiceError } from "../../base/errors.ts";
import { openConnection } from "../../store/libsql/database/connect.ts";

/** @throws ServiceError Unavailable */
export async function requireWhole(file: string): Promise<void> {
  const connection = await openConnection({ at: file, shared: false });
  try {
    const { rows } = await connection.read({ sql: "pragma integrity_check(1)", args: {} });
    const found = rows[0]?.[0];
    if (found !== "ok") throw damaged(String(found));
    await connection.read({ sql: "pragma wal_checkpoint(truncate)", args: {} });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw damaged(messageOf(error));
  } finally {
    connection.close();
  }
}

function damaged(why: string): ServiceError {
  return new ServiceError("Unavailable", `The copy of the database is damaged (${why}): it was discarded.`);
}
