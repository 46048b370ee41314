/** How much statements are, and room for others between them. */
import type { Statement } from "../store/libsql/connect.ts";

/** How long statements take, in rows: one of many rows has as many times the arguments of one. */
export function weightOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, one) => sum + 1 + one.args.length / 25, 0);
}

/** Lets everything else that waits have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
