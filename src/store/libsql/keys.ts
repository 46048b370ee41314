/** API keys: only their hash is stored; a key of 256 random bits needs no salt and no slow hash. */
import { createHash } from "node:crypto";
import { and, eq, isNull, or } from "drizzle-orm";
import { type Actor, auditIf } from "./audit.ts";
import { type Database, statementOf } from "./database.ts";
import type { MakeId } from "./id.ts";
import { keys } from "./schema.ts";

export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly hosts: readonly string[];
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

export interface NewKey {
  readonly name: string;
  /** The clear key. */
  readonly key: string;
  readonly scope: string;
  readonly hosts: readonly string[];
  readonly expiresAt?: number | undefined;
}

export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export function createKeys(database: Database, makeId: MakeId) {
  const { orm, ask, clock } = database;
  const shown = {
    id: keys.id,
    name: keys.name,
    scope: keys.scope,
    hosts: keys.hosts,
    created_at: keys.created_at,
    expires_at: keys.expires_at,
    last_used_at: keys.last_used_at,
    revoked_at: keys.revoked_at,
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
        created_at: clock.wall(),
        expires_at: one.expiresAt ?? null,
      };
      const isFree = {
        sql: "not exists (select 1 from keys where name = ? or hash = ?)",
        args: [row.name, row.hash],
      };
      const hosts = row.hosts.join(",") || "all";
      const until = row.expires_at === null ? "never" : new Date(row.expires_at).toISOString();
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
      return ask(orm.select(shown).from(keys).orderBy(keys.created_at));
    },

    /** The key that is in force: not revoked, not expired. */
    async find(key: string): Promise<StoredKey | undefined> {
      const [row] = await ask(
        orm
          .select(shown)
          .from(keys)
          .where(and(eq(keys.hash, hashKey(key)), isNull(keys.revoked_at))),
      );
      return row && (row.expires_at === null || row.expires_at > clock.wall()) ? row : undefined;
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
            .set({ revoked_at: clock.wall() })
            .where(and(or(eq(keys.name, nameOrId), eq(keys.id, nameOrId)), isNull(keys.revoked_at)))
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
        await ask(orm.update(keys).set({ last_used_at: at }).where(eq(keys.id, id)).run());
    },
  };
}
