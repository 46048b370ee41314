/** Host keys of devices, accepted on first use: what a later connection is compared with. */
import { and, eq } from "drizzle-orm";
import type { Database } from "./database.ts";
import { hostKeys } from "./schema.ts";

export interface KnownHostKey {
  readonly type: string;
  readonly fingerprint: string;
}

/** Hosts whose keys are held in memory: a bulk asks for each of its devices. */
const mostCached = 20_000;

export function createHostKeys({ orm, ask, clock, shared }: Database) {
  const cache = new Map<string, KnownHostKey[]>();
  const name = (host: string, port: number) => `${host}:${port}`;

  return {
    async known(host: string, port: number): Promise<KnownHostKey[]> {
      const cached = cache.get(name(host, port));
      if (cached) return cached;
      const rows = await ask(
        orm
          .select({ type: hostKeys.type, fingerprint: hostKeys.fingerprint })
          .from(hostKeys)
          .where(and(eq(hostKeys.host, host), eq(hostKeys.port, port))),
      );
      // Another node may forget a key: only the owner of the store may trust its memory.
      if (!shared && rows.length > 0) {
        if (cache.size >= mostCached) cache.clear();
        cache.set(name(host, port), rows);
      }
      return rows;
    },

    /** The first one to learn a key of a type wins; another key is never laid over it. @returns whether it was new. */
    async learn(host: string, port: number, key: KnownHostKey): Promise<boolean> {
      cache.delete(name(host, port));
      const learnt = await ask(
        orm
          .insert(hostKeys)
          .values({ host, port, type: key.type, fingerprint: key.fingerprint, seen_at: clock.wall() })
          .onConflictDoNothing()
          .returning({ type: hostKeys.type }),
      );
      return learnt.length > 0;
    },

    /** @returns how many keys were forgotten: for a device that was replaced. */
    async forget(host: string, port?: number): Promise<number> {
      cache.clear();
      const of =
        port === undefined ? eq(hostKeys.host, host) : and(eq(hostKeys.host, host), eq(hostKeys.port, port));
      const rows = await ask(orm.delete(hostKeys).where(of).returning({ type: hostKeys.type }));
      return rows.length;
    },
  };
}
