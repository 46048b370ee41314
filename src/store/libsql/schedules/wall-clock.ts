/** The wall clock of the store: a server's clock for all its nodes, for a file the machine's. */
import type { Database } from "../database/database.ts";

/** In ms since 1970; its parameter is `wall: wallOf(database)`. */
export const wallNow = "coalesce(:wall, cast(unixepoch('subsec') * 1000 as integer))";

/** Null uses the server's clock. */
export function wallOf({ shared, clock }: Database): number | null {
  return shared ? null : clock.wall();
}
