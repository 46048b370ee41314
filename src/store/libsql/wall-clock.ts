/** What the wall clock of the store shows: of a server for all its nodes, of a file that of the machine. */
import type { Database } from "./database/database.ts";

/** In ms since 1970; its parameter is `wall: wallOf(database)`. */
export const wallNow = "coalesce(:wall, cast(unixepoch('subsec') * 1000 as integer))";

/** Null lets the server's own clock decide. */
export function wallOf({ shared, clock }: Database): number | null {
  return shared ? null : clock.wall();
}
