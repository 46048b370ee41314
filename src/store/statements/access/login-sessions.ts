/** Login sessions. Only the hash of the token is stored; whether its holder is still valid is asked for apart. */
import { createHash } from "node:crypto";
import { loginIdleMs, loginLongestMs, maxLogins } from "../../../api/access/login-session.ts";
import type { MakeId } from "../../id.ts";
import type { Actor, LoginSessions, NewAuditEntry, StoredLoginSession } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { loginSessions } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";
import { createLastUses } from "./last-uses.ts";

const sessionFields = fieldsOf(loginSessions, ...namesBut(loginSessions, "hash", "idToken"));
const newSession = written(loginSessions, ...namesBut(loginSessions));
const sessionRow = rowShape(sessionFields);
const tokenRow = rowShape(fieldsOf(loginSessions, "idToken"));
const idRow = rowShape(fieldsOf(loginSessions, "sessionId"));
type Row = ReturnType<typeof sessionRow.read>[number];

/**
 * Tolerance for clocks of other nodes. A session that began later than that was created with a wrong clock and would
 * never expire.
 */
const aheadMs = 300_000;
const isThis = "session_id = :id";
const inForce = `ends_at > :now and logged_in_at <= :now + ${aheadMs}`;
const selected = `select ${sessionRow.columns} from login_sessions where ${inForce}`;

export function createLoginSessions(database: Database, makeId: MakeId): LoginSessions {
  const { cipher, clock } = database;
  const lastUses = createLastUses(database, (use) => ({
    sql: `update login_sessions set last_seen_at = :at, ends_at = least(:at + ${loginIdleMs},
  coalesce(latest_end, logged_in_at + ${loginLongestMs}))
where session_id = :id and last_seen_at < :at`,
    args: use,
  }));

  /** Says nothing of what it removed: a write repeated after a lost response removes nothing. */
  async function remove(id: string, by: Actor): Promise<void> {
    const entry: NewAuditEntry = { caller: by, action: "session.end", outcome: "ended", detail: id };
    const args = { id };
    await database.write([
      addEntry(database, entry, { sql: `exists (select 1 from login_sessions where ${isThis})`, args }),
      { sql: `delete from login_sessions where ${isThis}`, args },
    ]);
    lastUses.forget(id);
  }

  async function idsOf(condition: string, args: Args): Promise<string[]> {
    const sql = `select ${idRow.columns} from login_sessions where ${condition}`;
    return (await database.select(idRow, { sql, args })).map(({ sessionId }) => sessionId);
  }

  return {
    async add({ token, holder, address, agent, providerSession, latestEnd = null, idToken }, by) {
      const id = makeId();
      const now = clock.wall();
      const entry: NewAuditEntry = { caller: by, action: "session.begin", outcome: "begun", detail: id };
      const [, , , found] = await database.write([
        addEntry(database, entry, {
          sql: "not exists (select 1 from login_sessions where session_id = :id)",
          args: { id },
        }),
        {
          sql: `insert into login_sessions (${newSession.columns})
values (${newSession.parameters}) on conflict do nothing`,
          args: newSession.values(cipher, {
            ...{ sessionId: id, hash: hashOf(token), holder, address, agent, providerSession, latestEnd },
            ...{ loggedInAt: now, lastSeenAt: now, idToken },
            endsAt: Math.min(now + loginIdleMs, latestEnd ?? Number.POSITIVE_INFINITY),
          }),
        },
        {
          sql: `delete from login_sessions where key_id = :key_id and session_id not in (
  select session_id from login_sessions where key_id = :key_id order by last_seen_at desc, session_id desc limit :most)`,
          args: { key_id: holder, most: maxLogins },
        },
        { sql: `${selected} and session_id = :id`, args: { id, now } },
      ]);
      const [row] = sessionRow.read(found);
      if (row === undefined) throw new TypeError("a new login session has ended already");
      return sessionOf(row);
    },

    async find(token) {
      const args = { hash: hashOf(token), now: clock.wall() };
      const [row] = await database.select(sessionRow, {
        sql: `${selected} and login_sessions.hash = :hash`,
        args,
      });
      return row && sessionOf(row);
    },

    async idTokenOf(id) {
      const [row] = await database.list(tokenRow, {
        sql: `select ${tokenRow.columns} from login_sessions where ${isThis} and ${inForce}`,
        args: { id, now: clock.wall() },
      });
      return row?.idToken ? cipher.tryOpen(row.idToken, placeOf(loginSessions.idToken, id)) : undefined;
    },

    async list(holder) {
      const rows = await database.list(sessionRow, {
        sql: `${selected} and (:key_id is null or key_id = :key_id) order by session_id desc`,
        args: { key_id: holder ?? null, now: clock.wall() },
      });
      return rows.map(sessionOf);
    },

    async end(id, by, holder) {
      const ofHolder = `${isThis} and (:key_id is null or key_id = :key_id)`;
      if ((await idsOf(ofHolder, { id, key_id: holder ?? null })).length === 0) return false;
      await remove(id, by);
      return true;
    },

    async endAll(which, by) {
      const ids = await ("holder" in which
        ? idsOf("key_id = :holder", { holder: which.holder })
        : idsOf("provider_session = :provider_session", { provider_session: which.providerSession }));
      for (const id of ids) await remove(id, by);
      return ids;
    },

    touch: lastUses.touch,

    async writeUses() {
      await lastUses.write();
      await database.write([
        {
          sql: `delete from login_sessions where ends_at <= :now or logged_in_at > :now + ${aheadMs}`,
          args: { now: clock.wall() },
        },
      ]);
    },
  };
}

function sessionOf({ sessionId, loggedInAt, endsAt, latestEnd: _end, ...row }: Row): StoredLoginSession {
  return { ...row, id: sessionId, createdAt: loggedInAt, expiresAt: endsAt };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
