/** Host keys of devices, accepted on first use: what a later connection is compared with. */
import { and, eq, or, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Actor, HostKeys, KnownHostKey } from "../port.ts";
import { auditIf } from "./audit.ts";
import { type Database, statementOf } from "./database.ts";
import { hostKeys } from "./schema.ts";

/** Hosts whose keys are held in memory: a bulk asks for each of its devices. */
const mostCached = 20_000;

/** Nobody said yes to a key of a first use: the service took it by itself. */
const byItself: Actor = { keyId: "first use", name: "patchbay", from: null };

/** The way to a host is part of where its key stands: no host name holds a blank. */
function placeOf(host: string, way: readonly string[]): string {
  return [host, ...way].join(" via ");
}

export function createHostKeys(database: Database): HostKeys {
  const { orm, ask, clock, shared } = database;
  const cache = new LRUCache<string, KnownHostKey[]>({ max: mostCached });
  const name = (host: string, port: number) => `${host}:${port}`;

  async function knownAt(host: string, port: number): Promise<KnownHostKey[]> {
    const cached = cache.get(name(host, port));
    if (cached) return cached;
    const rows = await ask(
      orm
        .select({ type: hostKeys.type, fingerprint: hostKeys.fingerprint })
        .from(hostKeys)
        .where(and(eq(hostKeys.host, host), eq(hostKeys.port, port))),
    );
    // Another node may forget a key: only the owner of the store may trust its memory.
    if (!shared && rows.length > 0) cache.set(name(host, port), rows);
    return rows;
  }

  return {
    /** What was shown on this way, and on the direct one; a direct connection is compared with its own alone. */
    async known(host: string, port: number, way: readonly string[] = []): Promise<KnownHostKey[]> {
      const direct = await knownAt(host, port);
      return way.length === 0 ? direct : [...(await knownAt(placeOf(host, way), port)), ...direct];
    },

    /** The first one to learn a key of a type wins, and stands in the audit trail; another key is never laid over it. */
    async learn(host: string, port: number, key: KnownHostKey, way: readonly string[] = []): Promise<void> {
      const place = placeOf(host, way);
      cache.delete(name(place, port));
      const row = { host: place, port, type: key.type, fingerprint: key.fingerprint, seenAt: clock.wall() };
      const entry = {
        caller: byItself,
        action: "hostkey.learn",
        host,
        outcome: "accepted",
        detail: `port ${port}${way.length === 0 ? "" : ` through ${way.join(", ")}`}, ${key.type} ${key.fingerprint}`,
      };
      const isNew = {
        sql: "not exists (select 1 from host_keys where host = ? and port = ? and type = ?)",
        args: [place, port, key.type],
      };
      await database.write([
        auditIf(database, entry, isNew),
        statementOf(orm.insert(hostKeys).values(row).onConflictDoNothing()),
      ]);
    },

    /** @returns how many keys were forgotten: for a device that was replaced. */
    async forget(host: string, port?: number): Promise<number> {
      cache.clear();
      const begin = placeOf(host, [""]);
      const onAnyWay = or(
        eq(hostKeys.host, host),
        sql`substr(${hostKeys.host}, 1, ${begin.length}) = ${begin}`,
      );
      const of = port === undefined ? onAnyWay : and(onAnyWay, eq(hostKeys.port, port));
      const rows = await ask(orm.delete(hostKeys).where(of).returning({ type: hostKeys.type }));
      return rows.length;
    },
  };
}
