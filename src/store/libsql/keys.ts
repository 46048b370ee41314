/** API keys: only their hash is stored; a key of 256 random bits needs no salt and no slow hash. */
import { createHash } from "node:crypto";
import { and, eq, isNull, or } from "drizzle-orm";
import type { Actor, Keys, NewKey, StoredKey } from "../port.ts";
import { auditIf } from "./audit.ts";
import { type Database, statementOf } from "./database.ts";
import type { MakeId } from "./id.ts";
import { keys } from "./schema.ts";

export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export function createKeys(database: Database, makeId: MakeId): Keys {
  const { orm, ask, clock } = database;
  const shown = {
    id: keys.id,
    name: keys.name,
    scope: keys.scope,
    hosts: keys.hosts,
    createdAt: keys.createdAt,
    expiresAt: keys.expiresAt,
    lastUsedAt: keys.lastUsedAt,
    revokedAt: keys.revokedAt,
  };
  /** Last uses that are not written yet: one statement a minute, not one a request. */
  const used = new Map<string, number>();

  return {
    /** @returns the id, or undefined when the name or the key is taken. */
    async add(one: NewKey, by: Actor): Promise<string | undefined> {
      const row = {
        id: makeId(),
        name: one.name,
        hash: hashKey(one.key),
        scope: one.scope,
        hosts: [...one.hosts],
        createdAt: clock.wall(),
        expiresAt: one.expiresAt ?? null,
      };
      const isFree = {
        sql: "not exists (select 1 from keys where name = ? or hash = ?)",
        args: [row.name, row.hash],
      };
      const hosts = row.hosts.join(",") || "all";
      const until = row.expiresAt === null ? "never" : new Date(row.expiresAt).toISOString();
      const detail = `${row.name}: scope ${row.scope}, hosts ${hosts}, expires ${until}`;
      const [, , found] = await database.write([
        auditIf(database, { caller: by, action: "key.add", outcome: "added", detail }, isFree),
        statementOf(orm.insert(keys).values(row).onConflictDoNothing()),
        // Written again after a lost answer, it still tells that the key is ours.
        statementOf(orm.select({ id: keys.id }).from(keys).where(eq(keys.id, row.id))),
      ]);
      return found?.rows.length === 1 ? row.id : undefined;
    },

    async list(): Promise<StoredKey[]> {
      return ask(orm.select(shown).from(keys).orderBy(keys.createdAt));
    },

    /** The key that is in force: not revoked, not expired. */
    async find(key: string): Promise<StoredKey | undefined> {
      const [row] = await ask(
        orm
          .select(shown)
          .from(keys)
          .where(and(eq(keys.hash, hashKey(key)), isNull(keys.revokedAt))),
      );
      return row && (row.expiresAt === null || row.expiresAt > clock.wall()) ? row : undefined;
    },

    /** @param nameOrId @returns whether there was such a key in force. */
    async revoke(nameOrId: string, by: Actor): Promise<boolean> {
      const isInForce = {
        sql: "exists (select 1 from keys where (name = ? or id = ?) and revoked_at is null)",
        args: [nameOrId, nameOrId],
      };
      const [, revoked] = await database.write([
        auditIf(
          database,
          { caller: by, action: "key.revoke", outcome: "revoked", detail: nameOrId },
          isInForce,
        ),
        statementOf(
          orm
            .update(keys)
            .set({ revokedAt: clock.wall() })
            .where(and(or(eq(keys.name, nameOrId), eq(keys.id, nameOrId)), isNull(keys.revokedAt)))
            .returning({ id: keys.id }),
        ),
      ]);
      return (revoked?.rows.length ?? 0) > 0;
    },

    touch(id: string): void {
      used.set(id, clock.wall());
    },

    async writeUses(): Promise<void> {
      const batch = [...used];
      used.clear();
      for (const [id, at] of batch)
        await ask(orm.update(keys).set({ lastUsedAt: at }).where(eq(keys.id, id)).run());
    },
  };
}
