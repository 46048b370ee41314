/** What statements cost the database, to keep transactions short. */
import type { Statement } from "./connect.ts";

/** In rows: a statement that inserts many rows has as many times the arguments of one. */
export function costOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, { args }) => sum + 1 + args.length / 25, 0);
}
