/** What lists share: who submitted something, or made it, and ids by their first characters. */
import { type SubmitterCondition, submitterKinds } from "../../../api/jobs/job.ts";
import type { Actor } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { oneOf, orNull, rowShape, text } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";

/** The person or key with an id: a key of a person counts as the person. SQL expressions. */
const personOf = (id: string) => `coalesce((select person_id from keys where keys.id = ${id}), ${id})`;
const holderName = (id: string) =>
  `coalesce((select name from persons where persons.id = ${personOf(id)}), (select name from keys where keys.id = ${id}), ${id})`;
const holderKind = (id: string) =>
  `case when exists (select 1 from persons where persons.id = ${personOf(id)}) then 'person' else 'key' end`;

/** Whose turns and room in the queue a job takes, as `shareOf` its caller. */
export const shareField = { share: text("share", personOf("caller")) } as const;

/**
 * What is stored of whoever writes something: the id of the person, whose name may change, or of the key; of a command
 * on the machine the account.
 */
export function writerOf({ keyId, name, person }: Actor): string {
  if (person !== undefined) return person.id;
  return keyId === commandLine ? `${name} (${keyId})` : keyId;
}
export const commandLine = "command line";

/** Whoever wrote it, by what is stored of them: a column with its table, as the look-up has columns of its own. */
export function writerFields(column: string) {
  return {
    submitterKind: orNull(
      oneOf(
        "submitter_kind",
        submitterKinds,
        `case when ${column} is not null then ${holderKind(column)} end`,
      ),
    ),
    submitter: orNull(text("submitter", holderName(column))),
  };
}

/** Conditions on whose something is, by the id that is stored with it. */
export function holderTerms(id: string, condition: SubmitterCondition | undefined): HolderTerms {
  if (condition === undefined) return { sql: [], args: {} };
  const { kind, name } = condition;
  return {
    sql: [
      `${holderName(id)} = :submitter`,
      ...(kind === undefined ? [] : [`${holderKind(id)} = :submitter_kind`]),
    ],
    args: { submitter: name, ...(kind === undefined ? {} : { submitter_kind: kind }) },
  };
}

interface HolderTerms {
  readonly sql: readonly string[];
  readonly args: Args;
}

/** Who submitted the job of a task; if that was deleted, whose task it is. */
export const taskSubmitter = {
  kind: `coalesce((select submitter_kind from jobs where jobs.id = detached_tasks.id), ${holderKind("caller")})`,
  name: `coalesce((select submitter from jobs where jobs.id = detached_tasks.id), ${holderName("caller")})`,
} as const;

const nameOf = (table: string) =>
  `coalesce(${table}.submitter, (select name from keys where keys.id = ${table}.caller), ${table}.caller)`;

/** Looks up the key only for rows of older versions. */
export function submitterFields(table: "jobs" | "bulks") {
  return {
    submitterKind: oneOf("submitter_kind", submitterKinds, `coalesce(${table}.submitter_kind, 'key')`),
    submitter: text("submitter", nameOf(table)),
  };
}

const ofChange = (value: string) => `(select ${value} from jobs where jobs.id = job_id)`;
/** Who submitted the job of a row of the log; null: it is there no more. */
export const changeSubmitter = {
  submitterKind: orNull(
    oneOf("submitter_kind", submitterKinds, ofChange("coalesce(jobs.submitter_kind, 'key')")),
  ),
  submitter: orNull(text("submitter", ofChange(nameOf("jobs")))),
} as const;

/** Adds the conditions of a filter. */
export function submitterTerms(
  table: "jobs" | "bulks",
  condition: SubmitterCondition | undefined,
  add: (sql: string, name: string, value: string | undefined) => void,
): void {
  if (condition === undefined) return;
  add(`${nameOf(table)} = :submitter`, "submitter", condition.name);
  add(`coalesce(${table}.submitter_kind, 'key') = :submitter_kind`, "submitter_kind", condition.kind);
}

const idRow = rowShape({ id: text("id") });
/** Sorts after all hexadecimal digits and the dash. */
const afterDigits = "g";

export async function idsFrom(
  database: Database,
  table: "jobs" | "bulks",
  prefix: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.select(idRow, {
    // Ids are in the order of their times.
    sql: `select ${idRow.columns} from ${table} where id >= :from and id < :until order by id desc limit :limit`,
    args: { from: prefix, until: prefix + afterDigits, limit },
  });
  return rows.map(({ id }) => id);
}
