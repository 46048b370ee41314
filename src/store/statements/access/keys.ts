/** API keys. Only hashes are stored; a key of 256 random bits needs neither salt nor a slow hash. */
import { createHash } from "node:crypto";
import { formerMark, ownKeyLimits } from "../../../api/access/own-key.ts";
import type { LedgerKind } from "../../../api/ledger/ledger.ts";
import type { MakeId } from "../../id.ts";
import type { Actor, ChangedLists, Keys, NewAuditEntry, NewKey } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, orNull, rowShape, text } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { keys } from "../../tables.ts";
import { holderTerms, writerFields, writerOf } from "../jobs/listing.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";
import { createLastUses } from "./last-uses.ts";

const keyFields = fieldsOf(keys, ...namesBut(keys, "hash", "madeBy"));
const keyRow = rowShape(keyFields);
const personName = "(select persons.name from persons where persons.id = person_id)";
/** Looked up in the same table, which has another name there. */
const maker = "listed.made_by";
const listedRow = rowShape({
  ...keyFields,
  ...fieldsOf(keys, "hash"),
  person: orNull(text("person", personName)),
  ...writerFields(maker),
});
const newKey = written(keys, ...namesBut(keys, "lastUsedAt", "revokedAt"));
const idRow = rowShape(fieldsOf(keys, "id"));
const subjectRow = rowShape(fieldsOf(keys, "id", "name"));
const changedLists = ["credentials", "rights", "recipes"] as const;

export function createKeys(database: Database, makeId: MakeId): Keys {
  const { cipher, clock } = database;
  const lastUses = createLastUses(database, (use) => ({
    sql: "update keys set last_used_at = :at where id = :id",
    args: use,
  }));

  async function inForce(hash: string) {
    const [row] = await database.select(keyRow, {
      sql: `select ${keyRow.columns} from keys where hash = :hash and revoked_at is null`,
      args: { hash },
    });
    return row && (row.expiresAt === null || row.expiresAt > clock.wall()) ? row : undefined;
  }

  async function listed(where: string, args: Args) {
    const sql = `select ${listedRow.columns} from keys as listed where ${where} order by created_at`;
    const rows = await database.list(listedRow, { sql, args });
    return rows.map(({ hash, ...key }) => ({ ...key, certificate: certificateIn(hash) }));
  }

  /** For the ledger, whose entries never change: the name that it is stored with, by the id of a person, and its id. */
  async function subjectOf(nameOrId: string, isThis: string): Promise<string> {
    const sql = `select ${subjectRow.columns} from keys where ${isThis}`;
    const found = await database.select(subjectRow, { sql, args: namedBy(nameOrId) });
    return found.map(({ id, name }) => `${name} (${id})`).join(", ") || nameOrId;
  }

  /** @returns the id; undefined: the name or the key is taken, or the condition does not hold */
  async function insert(
    key: NewKey,
    by: Actor,
    { before = [], after = [], kind = "key.add", condition = "true", args = {} }: Insertion = {},
  ): Promise<string | undefined> {
    const id = makeId();
    const hash = hashOf(key.key);
    const entry: NewAuditEntry = { caller: by, action: "key.add", outcome: "added", detail: detailOf(key) };
    const isFree = `not exists (select 1 from keys where name = :name or hash = :hash) and ${condition}`;
    const results = await database.write([
      ...before,
      addEntry(database, entry, { sql: isFree, args: { ...args, name: key.name, hash } }),
      ledgerEntry(
        database,
        kind,
        by,
        { detail: entry.detail },
        { sql: isFree, args: { ...args, name: key.name, hash } },
      ),
      ...after,
      {
        sql: `insert into keys (${newKey.columns}) select ${newKey.parameters} where ${isFree}`,
        args: {
          ...args,
          ...newKey.values(cipher, { ...key, id, hash, createdAt: clock.wall(), madeBy: writerOf(by) }),
        },
      },
      // Also true for a write repeated after a lost response.
      { sql: `select ${idRow.columns} from keys where id = :id`, args: { id } },
    ]);
    return idRow.read(results.at(-1))[0]?.id;
  }

  return {
    add: (key, by) => insert(key, by),

    async addOwn(key, by) {
      const { personId, name } = key;
      const now = clock.wall();
      const where = { person_id: personId, at: now };
      const isDead = "(revoked_at is not null or (expires_at is not null and expires_at <= :at))";
      const ofPerson = "select count(*) from keys where person_id = :person_id";
      const id = await insert(key, by, {
        before: [
          {
            sql: `delete from keys where person_id = :person_id and ${isDead}
  and coalesce(revoked_at, expires_at) <= :at - :kept_ms`,
            args: { ...where, kept_ms: ownKeyLimits.endedMs },
          },
          // Gives up its name, which the person may use again.
          {
            sql: `update keys set name = name || '${formerMark}' || id where name = :name and person_id = :person_id and ${isDead}`,
            args: { ...where, name },
          },
        ],
        condition: `(${ofPerson} and not ${isDead}) < :most and (${ofPerson}) < :most_stored`,
        args: { ...where, most: ownKeyLimits.inForce, most_stored: ownKeyLimits.stored },
      });
      if (id !== undefined) return { id };
      const [same] = await database.select(idRow, {
        sql: `select ${idRow.columns} from keys where name = :name`,
        args: { name },
      });
      return same === undefined ? "full" : "taken";
    },

    addBreakGlass(key, by) {
      // Not if the new one cannot be added, nor when the write is repeated: there would be none.
      const earlier = `${isBreakGlass("keys")} and revoked_at is null
  and not exists (select 1 from keys taken where taken.name = :name or taken.hash = :hash)`;
      const made = { name: key.name, hash: hashOf(key.key) };
      const args = { ...made, at: clock.wall() };
      const entry: NewAuditEntry = { caller: by, action: "key.revoke", outcome: "revoked" };
      const revokes = { sql: `exists (select 1 from keys where ${earlier})`, args: made };
      return insert(key, by, {
        kind: "breakglass.make",
        // Its entry of the ledger follows that of the new key, without which there is none.
        after: [
          ledgerEntry(database, "breakglass.revoke", by, { detail: `those before ${key.name}` }, revokes),
          addEntry(database, entry, revokes, `(select string_agg(name, ', ') from keys where ${earlier})`),
          { sql: `update keys set revoked_at = :at where ${earlier}`, args },
        ],
      });
    },

    list(condition) {
      const { sql, args } = holderTerms(maker, condition);
      return listed(["true", ...sql].join(" and "), args);
    },
    ofPerson: (personId) => listed("person_id = :person_id", { person_id: personId }),

    find: (key) => inForce(hashOf(key)),
    findCertificate: (fingerprint) => inForce(hashOf({ certificate: fingerprint })),

    async byId(id) {
      const [row] = await database.select(keyRow, {
        sql: `select ${keyRow.columns} from keys where id = :id`,
        args: { id },
      });
      return row;
    },

    async change(nameOrId, lists, by) {
      const entry: NewAuditEntry = {
        caller: by,
        action: "key.change",
        outcome: "changed",
        detail: changeText(nameOrId, lists),
      };
      const inForce = `${isNamed} and revoked_at is null and not ${isBreakGlass("keys")}`;
      const about = await subjectOf(nameOrId, inForce);
      const args = namedBy(nameOrId);
      const changed = changedLists.filter((name) => lists[name] !== undefined);
      const values = Object.fromEntries(
        changed.map((name) => [name, lists[name] ? JSON.stringify(lists[name]) : null]),
      );
      const differs = changed.map((name) => `${name} is distinct from :${name}`).join(" or ") || "false";
      const changes = {
        sql: `exists (select 1 from keys where ${inForce} and (${differs}))`,
        args: { ...args, ...values },
      };
      const [, , found] = await database.write([
        addEntry(database, entry, changes),
        ledgerEntry(database, "key.change", by, { detail: changeText(about, lists) }, changes),
        {
          sql: `update keys set ${changed.map((name) => `${name} = :${name}`).join(", ")} where ${inForce}
returning ${idRow.columns}`,
          args: { ...args, ...values },
        },
      ]);
      return (found?.rows.length ?? 0) > 0;
    },

    async revoke(nameOrId, by, lastAdmin) {
      const entry: NewAuditEntry = { caller: by, action: "key.revoke", outcome: "revoked", detail: nameOrId };
      const isThisKey = `${isNamed} and revoked_at is null`;
      const named = namedBy(nameOrId);
      const args = { ...named, at: clock.wall() };
      // Checked within the revoking transaction: of two concurrent ones, the second sees the result of the first.
      const may = lastAdmin === undefined ? isThisKey : `${isThisKey} and (${isNoAdmin} or ${anotherAdmin})`;
      const exists = { sql: `exists (select 1 from keys where ${may})`, args };
      // What a key is for does not change.
      const [glass] = await database.select(idRow, {
        sql: `select ${idRow.columns} from keys where ${isThisKey} and ${isBreakGlass("keys")}`,
        args: named,
      });
      const kind = glass === undefined ? "key.revoke" : "breakglass.revoke";
      const about = await subjectOf(nameOrId, isThisKey);
      const [, , , revoked, left] = await database.write([
        addEntry(database, entry, exists),
        ledgerEntry(database, kind, by, { detail: about }, exists),
        { sql: `update keys set revoked_at = :at where ${may}`, args },
        // Also true for a write repeated after a lost response.
        { sql: `select ${idRow.columns} from keys where ${isNamed} and revoked_at = :at`, args },
        { sql: `select ${idRow.columns} from keys where ${isThisKey}`, args: named },
      ]);
      if ((revoked?.rows.length ?? 0) > 0) return "revoked";
      return (left?.rows.length ?? 0) > 0 ? "last_admin" : "unknown";
    },

    touch: lastUses.touch,
    writeUses: lastUses.write,
  };
}

interface Insertion {
  /** Run first, in the same transaction. */
  readonly before?: readonly Statement[];
  /** Run before the key is there, but after what is written of it. */
  readonly after?: readonly Statement[];
  readonly kind?: LedgerKind;
  readonly condition?: string;
  readonly args?: Args;
}

/** By id, by name, or a key of a person as it is shown: `anna/laptop`. */
const isNamed = `(name = :name_or_id or id = :name_or_id
  or name = (select persons.id || '/' || :own_name from persons where persons.name = :person_name))`;

function namedBy(nameOrId: string) {
  const [person_name = "", own_name] = nameOrId.split(/\/(.*)/s);
  return {
    name_or_id: nameOrId,
    person_name: own_name === undefined ? null : person_name,
    own_name: own_name ?? null,
  };
}

const isBreakGlass = (row: string) => `(coalesce(${row}.rights, '') like '%"break_glass"%')`;

/**
 * An active admin key without a host limit: it can create keys. One of a person goes with the person's role, and the one
 * for emergencies is in a safe.
 */
export const isAdmin = (row: string) =>
  `(${row}.scope = 'admin' and ${row}.person_id is null and not ${isBreakGlass(row)} and ${row}.hosts = '[]' and ${row}.revoked_at is null and (${row}.expires_at is null or ${row}.expires_at > :at))`;
const isNoAdmin = `not ${isAdmin("keys")}`;
const anotherAdmin = `exists (select 1 from keys other where ${isAdmin("other")} and other.name <> :name_or_id and other.id <> :name_or_id)`;

/**
 * Replaces the hash of a text key. No text has such a hash, so a certificate fingerprint, which is not secret, cannot
 * be used as a key.
 */
const certificatePrefix = "certificate:";

function hashOf(key: NewKey["key"]): string {
  if (typeof key !== "string") return certificatePrefix + key.certificate;
  return createHash("sha256").update(key).digest("hex");
}

function certificateIn(hash: string): string | null {
  return hash.startsWith(certificatePrefix) ? hash.slice(certificatePrefix.length) : null;
}

function detailOf({
  key,
  name,
  scope,
  hosts,
  credentials = null,
  rights,
  recipes,
  expiresAt,
}: NewKey): string {
  const named = credentials === null ? "" : `, credentials ${credentials.join(",") || "none"}`;
  const given = rights && rights.length > 0 ? `, rights ${rights.join(",")}` : "";
  const runs = recipes ? `, recipes ${recipes.join(",") || "none"}` : "";
  const certificateText = typeof key === "string" ? "" : `, certificate ${key.certificate}`;
  const until = typeof expiresAt === "number" ? new Date(expiresAt).toISOString() : "never";
  return `${name}: scope ${scope}, hosts ${hosts.join(",") || "all"}${named}${given}${runs}, expires ${until}${certificateText}`;
}

function changeText(nameOrId: string, { credentials, rights, recipes }: ChangedLists): string {
  const parts: string[] = [];
  if (credentials !== undefined)
    parts.push(
      `credentials ${credentials === null ? "no list of its own" : credentials.join(",") || "none"}`,
    );
  if (recipes !== undefined)
    parts.push(`recipes ${recipes === null ? "those of its scope" : recipes.join(",") || "none"}`);
  if (rights !== undefined) parts.push(`rights ${rights?.join(",") || "none"}`);
  return `${nameOrId}: ${parts.join(", ")}`;
}
