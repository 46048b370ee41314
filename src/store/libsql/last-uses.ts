/** Last uses that are not written yet: of each key or login once a minute, not with each request. */
import type { Database } from "./database/database.ts";
import type { Statement } from "./database/statement.ts";

export interface LastUses {
  touch(id: string): void;
  forget(id: string): void;
  write(): Promise<void>;
}

/** @param statement writes down when one was used last */
export function createLastUses(
  database: Database,
  statement: (use: { readonly id: string; readonly at: number }) => Statement,
): LastUses {
  const times = new Map<string, number>();
  return {
    touch(id) {
      times.set(id, database.clock.wall());
    },
    forget(id) {
      times.delete(id);
    },
    async write() {
      const uses = [...times];
      times.clear();
      for (const [id, at] of uses) await database.write([statement({ id, at })]);
    },
  };
}
