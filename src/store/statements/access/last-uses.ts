/** Buffers last uses of keys and login sessions: written once a minute, not with each request. */
import type { Database } from "../../sql/database.ts";
import type { Statement } from "../../sql/statement.ts";

/** @param statement writes when one was last used */
export function createLastUses(
  database: Database,
  statement: (use: { readonly id: string; readonly at: number }) => Statement,
) {
  const times = new Map<string, number>();
  return {
    touch(id: string): void {
      times.set(id, database.clock.wall());
    },
    forget(id: string): void {
      times.delete(id);
    },
    async write() {
      const uses = [...times];
      times.clear();
      for (const [id, at] of uses) await database.write([statement({ id, at })]);
    },
  };
}
