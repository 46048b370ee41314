/** Persons who have signed in at a provider. */
import { personLimits } from "../../../api/access/person.ts";
import type { MakeId } from "../../id.ts";
import type { NewAuditEntry, Persons, SignIn } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { persons } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";
import { createForgetting, nameAndId, providedName } from "./forgetting.ts";

const personRow = rowShape(fieldsOf(persons, ...namesBut(persons)));
const nameRow = rowShape(fieldsOf(persons, "name"));
const newPerson = written(persons, ...namesBut(persons, "blockedAt", "forgottenAt"));
const isIt = "issuer = :issuer and subject = :subject";
/** Those who were forgotten have made room. */
const counted = "select count(*) from persons where forgotten_at is null";
const countRow = rowShape({ count: number("count", `(${counted})`) });
/** Attempts to find a name that nobody took in the meantime. */
const attempts = 5;

export function createPersons(database: Database, makeId: MakeId): Persons {
  const { cipher, clock } = database;

  async function one(where: string, args: Args) {
    const [row] = await database.select(personRow, {
      sql: `select ${personRow.columns} from persons where ${where}`,
      args,
    });
    return row;
  }

  /** The wanted name, or the first of its numbers that is nobody else's. */
  async function freeName({ issuer, subject, name }: SignIn): Promise<string> {
    const rows = await database.select(nameRow, {
      sql: `select ${nameRow.columns} from persons
where (name = :name or (name > :begins and name < :ends)) and not (${isIt})`,
      args: { issuer, subject, name, begins: `${name}-`, ends: `${name}.` },
    });
    const taken = new Set(rows.map((row) => row.name));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }

  return {
    ...createForgetting(database),

    async signIn(person, from) {
      const { issuer, subject } = person;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const known = await one(isIt, { issuer, subject });
        const id = known?.id ?? makeId();
        const name = await freeName(person);
        const now = clock.wall();
        const caller = { keyId: id, name, from };
        const entry: NewAuditEntry = {
          caller,
          action: "person.sign_in",
          outcome: "signed in",
          detail: providedName(person),
        };
        const mayBe = `not exists (select 1 from persons where name = :name and not (${isIt}))
  and (exists (select 1 from persons where ${isIt}) or (${counted}) < ${personLimits.most})`;
        const values = { ...person, id, name, createdAt: now, signedInAt: now };
        const [, , found] = await database.write([
          addEntry(database, entry, { sql: mayBe, args: { issuer, subject, name } }),
          {
            sql: `insert into persons (${newPerson.columns}) select ${newPerson.parameters} where ${mayBe}
on conflict (issuer, subject) do update set name = excluded.name, email = excluded.email, groups = excluded.groups,
  signed_in_at = excluded.signed_in_at`,
            args: newPerson.values(cipher, values),
          },
          {
            sql: `select ${personRow.columns} from persons where ${isIt} and name = :name`,
            args: { issuer, subject, name },
          },
        ]);
        const [row] = personRow.read(found);
        if (row !== undefined) return row;
        if (known === undefined && (await isFull())) return undefined;
      }
      return undefined;

      async function isFull(): Promise<boolean> {
        const [row] = await database.select(countRow, { sql: `select ${countRow.columns}`, args: {} });
        return (row?.count ?? 0) >= personLimits.most;
      }
    },

    byId: (id) => one("id = :id", { id }),
    named: (
      nameOrId, // An id before a name, which whoever has it may have chosen.
    ) =>
      one("name = :name_or_id or id = :name_or_id order by id = :name_or_id desc limit 1", {
        name_or_id: nameOrId,
      }),
    bySubject: (issuer, subject) => one(isIt, { issuer, subject }),

    page: (limit, afterName) =>
      database.list(personRow, {
        sql: `select ${personRow.columns} from persons where name > :after order by name limit :limit`,
        args: { after: afterName ?? "", limit },
      }),

    async block(id, blocked, by) {
      const at = blocked ? clock.wall() : null;
      const args = { id };
      const isThis = "id = :id and forgotten_at is null";
      const action = blocked ? "person.block" : "person.unblock";
      const entry: NewAuditEntry = { caller: by, action, outcome: blocked ? "blocked" : "let in" };
      const ended: Statement[] = blocked
        ? [
            {
              sql: `delete from login_sessions where key_id in (select id from persons where ${isThis})
  or key_id in (select id from keys where person_id = :id)`,
              args,
            },
          ]
        : [];
      const [, changed] = await database.write([
        addEntry(
          database,
          entry,
          // Nothing changes if the write is repeated after a lost response.
          {
            sql: `exists (select 1 from persons where ${isThis} and blocked_at is distinct from :at)`,
            args: { ...args, at },
          },
          `(select ${nameAndId} from persons where ${isThis})`,
        ),
        {
          sql: `update persons set blocked_at = :at where ${isThis} returning ${nameRow.columns}`,
          args: { ...args, at },
        },
        ...ended,
      ]);
      return (changed?.rows.length ?? 0) > 0;
    },
  };
}
