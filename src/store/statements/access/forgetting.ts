/**
 * Pseudonyms of persons who have left: written over their name in what they did, in batches that give way and continue
 * after a crash. Rows are found by the id of the person, or of a key of theirs, which stays; no row is removed.
 */
import { randomBytes } from "node:crypto";
import type { NewAuditEntry, Persons } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, itemsOf } from "../../sql/notation.ts";
import { fieldsOf, number, orNull, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import type { AuditRow, ErasureRow } from "../../tables.ts";
import { audit, erasures, keys, persons } from "../../tables.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";

const erasureRow = rowShape(fieldsOf(erasures, ...namesBut(erasures)));
const newErasure = written(erasures, ...namesBut(erasures));
const nameRow = rowShape(fieldsOf(persons, "name"));
const idRow = rowShape(fieldsOf(keys, "id"));
const entryRow = rowShape(fieldsOf(audit, "id", "who", "action", "detail", "submitterKind", "submitter"));
const firstRow = rowShape({ first: orNull(number("first_key", "first_key")) });

/** Columns of a person, as the trail names an actor. */
export const nameAndId = "name || ' (' || id || ')'";
/** Keys of a table that one batch goes through: some milliseconds. */
const atOnce = 2_000;
/** Requests and running jobs of the person have ended by then, or write the pseudonym. */
const usualRestMs = 60_000;

/** In this order, to which others are added at the end: the trail tells what else the person was called. */
const steps = [
  { table: "audit", key: "id" },
  { table: "jobs", key: "seq" },
  { table: "bulks", key: "seq" },
  { table: "config_versions", key: "n" },
  { table: "config_due", key: "rowid" },
  { table: "changes", key: "rowid" },
  { table: "change_votes", key: "rowid" },
  { table: "change_steps", key: "rowid" },
  { table: "recipes", key: "rowid" },
  { table: "recipe_runs", key: "rowid" },
  { table: "templates", key: "rowid" },
  { table: "inventory_source_runs", key: "id" },
] as const;
type Step = (typeof steps)[number];

/** Columns with the id of whoever submitted it. */
const owners: Partial<Record<Step["table"], string>> = {
  ...{ jobs: "caller", bulks: "caller", changes: "holder", recipe_runs: "holder" },
};

interface Batch {
  readonly statements: readonly Statement[];
  readonly names?: readonly string[];
}

export function createForgetting(database: Database): Pick<Persons, "forget" | "erase"> {
  const { cipher, clock } = database;

  /** The ids by which the person acted. */
  async function idsOf(personId: string): Promise<string[]> {
    const sql = `select ${idRow.columns} from keys where person_id = :person_id`;
    const own = await database.select(idRow, { sql, args: { person_id: personId } });
    return [personId, ...own.map(({ id }) => id)];
  }

  async function batchOf(step: Step, erasure: ErasureRow, after: number, name: string): Promise<Batch> {
    const args = { after, up_to: after + atOnce, name, person_id: erasure.personId };
    const rows = `${step.key} > :after and ${step.key} <= :up_to`;
    if (step.table === "audit") return entriesIn(erasure, rows, args, name);
    const owner = owners[step.table];
    if (owner !== undefined) {
      const sql = `update ${step.table} set submitter = :name where ${rows} and submitter_kind = 'person'
  and submitter <> :name and (${owner} = :person_id or ${owner} in (select id from keys where person_id = :person_id))`;
      return { statements: [{ sql, args }] };
    }
    if (step.table === "change_votes") {
      const sql = `update change_votes set person = :name where ${rows} and person_id = :person_id`;
      return { statements: [{ sql, args }] };
    }
    // They have no id of whoever asked: `anna`, or one of her keys, `anna/laptop`.
    const [who, set] =
      step.table === "inventory_source_runs"
        ? ([
            "run ->> '$.by'",
            (text: string) =>
              `run = ${either(`json_set(run, '$.by', ${text})`, `jsonb_set(run::jsonb, '{by}', to_jsonb(${text}))::text`)}`,
          ] as const)
        : (["who", (text: string) => `who = ${text}`] as const);
    const pseudonym = `:name || case when strpos(${who}, '/') > 0 then '/key' else '' end`;
    const sql = `update ${step.table} set ${set(pseudonym)}
where ${rows} and case when strpos(${who}, '/') > 0 then substr(${who}, 1, strpos(${who}, '/') - 1) else ${who} end
  in :names`;
    const names = await withoutOthers(erasure.names);
    return { statements: [{ sql, args: { ...args, names } }] };
  }

  async function entriesIn(erasure: ErasureRow, rows: string, args: Args, pseudonym: string): Promise<Batch> {
    const ids = await idsOf(erasure.personId);
    const found = await database.select(entryRow, {
      sql: `select ${entryRow.columns} from audit where ${rows} and (action in ('role.put', 'role.remove', 'key.revoke', 'key.change')
  or exists (select 1 from each(:ids) one where strpos(who, one.value) > 0 or strpos(detail, one.value) > 0)
  or (action = 'person.refused' and detail = :provided))`,
      args: { ...args, ids, provided: providedName(erasure) },
    });
    const names = new Set(erasure.names);
    for (const { who } of found) {
      const own = ` (${erasure.personId})`;
      if (who.endsWith(own) && !who.startsWith(`${pseudonym} (`)) names.add(who.slice(0, -own.length));
    }
    const told = { ...erasure, names: await withoutOthers([...names]), pseudonym, ids };
    const statements = found.flatMap((entry) => {
      const { who, detail, submitter } = withoutName(entry, told);
      if (who === entry.who && detail === entry.detail && submitter === entry.submitter) return [];
      const sql = "update audit set who = :who, detail = :detail, submitter = :submitter where id = :id";
      return [{ sql, args: { id: entry.id, who, detail, submitter } }];
    });
    return { statements, names: [...names] };
  }

  /** A name that somebody else has now stays theirs. */
  async function withoutOthers(names: readonly string[]): Promise<string[]> {
    const others = await database.select(nameRow, {
      sql: `select ${nameRow.columns} from persons where name in :names`,
      args: { names },
    });
    return names.filter((name) => !others.some((other) => other.name === name));
  }

  /** The key after which the step goes on, without keys that no row has; undefined: it has ended. */
  async function positionOf({ table, key }: Step, position: number | null): Promise<number | undefined> {
    const sql = `select ${firstRow.columns} from (select min(${key}) first_key from ${table} where ${key} > :after) t1`;
    const [row] = await database.select(firstRow, { sql, args: { after: position ?? -1 } });
    return typeof row?.first === "number" ? row.first - 1 : undefined;
  }

  return {
    async forget(id, by) {
      const isThis = "id = :id and forgotten_at is null";
      const pseudonym = `person-${randomBytes(6).toString("hex")}`;
      const now = clock.wall();
      const args = { id, pseudonym, now };
      const these = `select id from persons where ${isThis}`;
      const theirs = `(select id from keys where person_id in (${these}))`;
      const entry: NewAuditEntry = { caller: by, action: "person.forget", outcome: "begun" };
      const erasure = newErasure.values(cipher, {
        ...{ personId: "", issuer: "", subject: "", names: [], step: 0, position: null, changed: 0 },
        ...{ begunAt: now, byId: by.keyId, byName: by.name },
      });
      const fromPerson: Readonly<Record<string, string>> = {
        person_id: "id",
        issuer: "issuer",
        subject: "subject",
        names: either("json_array(name)", "json_build_array(name)::text"),
      };
      const results = await database.write([
        addEntry(
          database,
          entry,
          { sql: `exists (${these})`, args },
          `(select :pseudonym || ' (' || id || ')' from persons where ${isThis})`,
        ),
        // By the id of the person: entries never change.
        ledgerEntry(
          database,
          "key.revoke",
          by,
          { detail: `all keys of ${id}, who was forgotten` },
          { sql: `exists (select 1 from keys where person_id in (${these}) and revoked_at is null)`, args },
        ),
        {
          sql: `insert into erasures (${newErasure.columns})
select ${newErasure.names.map((name) => fromPerson[name] ?? `:${name}`).join(", ")} from persons where ${isThis}`,
          args: { ...erasure, ...args },
        },
        { sql: `delete from login_sessions where key_id in (${these}) or key_id in ${theirs}`, args },
        {
          sql: `update keys set revoked_at = coalesce(revoked_at, :now), name = person_id || '/' || id
where person_id in (${these})`,
          args,
        },
        {
          sql: `update roles set subjects = (select ${either("json_group_array(one.value)", "coalesce('[' || string_agg(to_json(one.value)::text, ',') || ']', '[]')")} from ${itemsOf("roles.subjects", "one")}
  where one.value not in (select subject from persons where ${isThis}))
where exists (select 1 from ${itemsOf("roles.subjects", "one")}, persons where one.value = persons.subject
  and (roles.issuer is null or roles.issuer = persons.issuer)
  and persons.id = :id and persons.forgotten_at is null)`,
          args,
        },
        {
          sql: `update persons set name = :pseudonym, subject = :pseudonym, email = null, groups = '[]',
  forgotten_at = :now where ${isThis}`,
          args,
        },
        // Also true for a write repeated after a lost response.
        { sql: `select ${nameRow.columns} from persons where name = :pseudonym`, args },
      ]);
      return nameRow.read(results.at(-1))[0]?.name;
    },

    async erase(restMs = usualRestMs) {
      const [erasure] = await database.select(erasureRow, {
        sql: `select ${erasureRow.columns} from erasures where begun_at <= :before order by begun_at limit 1`,
        args: { before: clock.wall() - restMs },
      });
      if (erasure === undefined) return false;
      const { personId, step: at, position } = erasure;
      // Two nodes may do the same: rows change once, the place is moved on once.
      const isThere = "person_id = :person_id and step = :step and position is not distinct from :position";
      const place = { person_id: personId, step: at, position };
      const step = steps[at];
      if (step === undefined) {
        const { changed, byId, byName } = erasure;
        const entry = { action: "person.forget" as const, outcome: `done, in ${changed} entries` };
        const caller = { keyId: byId, name: byName, from: null };
        await database.write([
          addEntry(
            database,
            { ...entry, caller },
            { sql: `exists (select 1 from erasures where ${isThere})`, args: place },
            `(select ${nameAndId} from persons where id = :person_id)`,
          ),
          { sql: `delete from erasures where ${isThere}`, args: place },
        ]);
        return true;
      }
      const after = await positionOf(step, position);
      if (after === undefined) {
        const sql = `update erasures set step = step + 1, position = null where ${isThere}`;
        await database.write([{ sql, args: place }]);
        return true;
      }
      const [person] = await database.select(nameRow, {
        sql: `select ${nameRow.columns} from persons where id = :person_id`,
        args: { person_id: personId },
      });
      const { statements, names = erasure.names } = await batchOf(
        step,
        erasure,
        after,
        person?.name ?? personId,
      );
      const results = await database.write([...statements]);
      const changed = results.reduce((sum, result) => sum + result.changes, 0);
      const sql = `update erasures set position = :next, names = :names, changed = changed + :changed where ${isThere}`;
      const moved = { next: after + atOnce, names: JSON.stringify(names), changed };
      await database.write([{ sql, args: { ...place, ...moved } }]);
      return true;
    },
  };
}

interface Told extends Pick<ErasureRow, "personId" | "issuer" | "subject" | "names"> {
  readonly pseudonym: string;
  readonly ids: readonly string[];
}
type Entry = Pick<AuditRow, "who" | "action" | "detail" | "submitterKind" | "submitter">;

/** An entry of the trail with the pseudonym in place of what the person was called. */
function withoutName(entry: Entry, { personId, issuer, subject, names, pseudonym, ids }: Told) {
  const { who, action, detail, submitterKind, submitter } = entry;
  if (action.startsWith("role."))
    return { who, submitter, detail: detail && withoutSubject(detail, subject, pseudonym) };
  // Somebody who was refused before they had a role had no id here.
  const isRefusal = action === "person.refused" && detail === providedName({ issuer, subject });
  const actor = ids.find((id) => who.endsWith(` (${id})`)) ?? (isRefusal ? personId : undefined);
  const isOwn = actor !== undefined;
  return {
    who: isOwn ? `${pseudonym}${actor === personId ? "" : "/key"} (${actor})` : who,
    submitter: isOwn && submitterKind === "person" ? pseudonym : submitter,
    detail: detail && textWithout(isRefusal || (action === "person.sign_in" && isOwn) ? issuer : detail),
  };

  function textWithout(text: string): string {
    // What the person called a key may name them, too.
    const plain = [[personId, personId], ...names.map((name) => [name, pseudonym])].reduce(
      (left, [name = "", by]) => left.replaceAll(keysOf(name), `${by}/key`),
      text,
    );
    if (!action.startsWith("person.")) return plain;
    return names.reduce((left, name) => wholeWords(left, name, pseudonym), plain);
  }
}

/** How entries of a sign-in name a person: by the provider, and how that names them. */
export const providedName = ({ issuer, subject }: { readonly issuer: string; readonly subject: string }) =>
  `${issuer} ${subject}`;

/** The subjects of a role, as its entry lists them. */
function withoutSubject(detail: string, subject: string, pseudonym: string): string {
  const at = detail.indexOf(", subjects ");
  if (at === -1) return detail;
  return detail.slice(0, at) + wholeWords(detail.slice(at), subject, pseudonym);
}

/** Keys of a person, as they are stored and shown: `anna/laptop`. */
function keysOf(name: string): RegExp {
  return new RegExp(`(?<![^\\s])${escaped(name)}/[^\\s:,]+`, "gu");
}

function wholeWords(text: string, word: string, by: string): string {
  return text.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "gu"), by);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
