/** Machines that wait for a person to confirm their login. Only hashes of the codes are stored. */
import { createHash, randomBytes } from "node:crypto";
import { loginRequestLimits } from "../../../api/access/login-request.ts";
import type { AskedLogin, LoginRequests, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { loginRequests } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";

const requestRow = rowShape(
  fieldsOf(loginRequests, ...namesBut(loginRequests, "challenge", "userCode", "code")),
);
const idRow = rowShape(fieldsOf(loginRequests, "id"));
const newRequest = written(loginRequests, ...namesBut(loginRequests, "personId", "code"));

export function createLoginRequests(database: Database): LoginRequests {
  const { cipher, clock } = database;
  const { perAddress, inAll, waitMs, useMs } = loginRequestLimits;

  async function one(where: string, args: Args) {
    const [row] = await database.select(requestRow, {
      sql: `select ${requestRow.columns} from login_requests where ${where} and ends_at > :now`,
      args: { ...args, now: clock.wall() },
    });
    return row;
  }

  return {
    async add({ userCode, ...request }) {
      const now = clock.wall();
      const values = newRequest.values(cipher, {
        ...request,
        userCode: userCode === null ? null : hashOf(userCode),
        state: "waiting",
        askedAt: now,
        endsAt: now + waitMs,
      });
      const [, , found] = await database.write([
        { sql: "delete from login_requests where ends_at <= :now", args: { now } },
        {
          sql: `insert into login_requests (${newRequest.columns}) select ${newRequest.parameters}
where (select count(*) from login_requests) < ${inAll}
  and (select count(*) from login_requests where address is not distinct from :address) < ${perAddress}
on conflict do nothing`,
          args: values,
        },
        { sql: `select ${idRow.columns} from login_requests where id = :id`, args: { id: request.id } },
      ]);
      return idRow.read(found).length > 0 ? "added" : "full";
    },

    find(asked) {
      const { sql, args } = askedFor(asked);
      return one(`${sql} and state = 'waiting'`, args);
    },

    async decide(asked, { confirmed, personId, code }, by) {
      const found = await this.find(asked);
      if (found === undefined) return undefined;
      const now = clock.wall();
      const { id, machine, address } = found;
      const waits = "id = :id and state = 'waiting' and ends_at > :now";
      const entry: NewAuditEntry = {
        caller: by,
        action: confirmed ? "login.confirm" : "login.deny",
        outcome: confirmed ? "confirmed" : "denied",
        detail: `${machine}, from ${address ?? "a Unix socket"}`,
      };
      const decided = {
        ...{ id, person_id: personId, ends_at: now + useMs },
        state: confirmed ? "confirmed" : "denied",
        code: code === null ? null : hashOf(code),
      };
      const [, , changed] = await database.write([
        addEntry(database, entry, {
          sql: `exists (select 1 from login_requests where ${waits})`,
          args: { id, now },
        }),
        {
          sql: `update login_requests set state = :state, person_id = :person_id, code = :code, ends_at = :ends_at
where ${waits}`,
          args: { ...decided, now },
        },
        // Also true for a write repeated after a lost response.
        {
          sql: `select ${requestRow.columns} from login_requests where id = :id and state = :state
  and person_id = :person_id and code is not distinct from :code and ends_at = :ends_at`,
          args: decided,
        },
      ]);
      return requestRow.read(changed)[0];
    },

    stateOf: (id, challenge) => one("id = :id and challenge = :challenge", { id, challenge }),

    async take(id, challenge, code) {
      // The mark says that this call took it, also if the write is repeated after a lost response.
      const mark = { id, mark: randomBytes(32).toString("base64url") };
      const [, taken] = await database.write([
        {
          sql: `update login_requests set challenge = :mark where id = :id and challenge = :challenge
  and state = 'confirmed' and ends_at > :now and code is not distinct from :code`,
          args: { ...mark, challenge, now: clock.wall(), code: code === null ? null : hashOf(code) },
        },
        {
          sql: `select ${requestRow.columns} from login_requests where id = :id and challenge = :mark`,
          args: mark,
        },
      ]);
      const [request] = requestRow.read(taken);
      if (request !== undefined)
        await database.write([{ sql: "delete from login_requests where id = :id", args: { id } }]);
      return request;
    },

    async decided(ids) {
      const rows = await database.select(idRow, {
        sql: `select ${idRow.columns} from login_requests where state = 'waiting' and ends_at > :now
  and id in :ids`,
        args: { ids, now: clock.wall() },
      });
      const waiting = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !waiting.has(id));
    },
  };
}

/** A request with a code is found by nothing else: a link that somebody sends must not lead to it. */
function askedFor(asked: AskedLogin): { readonly sql: string; readonly args: Args } {
  return "id" in asked
    ? { sql: "id = :id and user_code is null", args: { id: asked.id } }
    : { sql: "user_code = :user_code", args: { user_code: hashOf(asked.userCode) } };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
