/** What lists of jobs and of bulks share: who submitted one, and ids by their first characters. */
import { type SubmitterCondition, submitterKinds } from "../../../api/job.ts";
import type { Database } from "../database/database.ts";
import { oneOf, rowShape, text } from "../database/rows/rows.ts";

const nameOf = (table: string) =>
  `coalesce(${table}.submitter, (select name from keys where keys.id = ${table}.caller), ${table}.caller)`;

/** Looks up the key only for rows of older versions. */
export function submitterFields(table: "jobs" | "bulks") {
  return {
    submitterKind: oneOf("submitter_kind", submitterKinds, `coalesce(${table}.submitter_kind, 'key')`),
    submitter: text("submitter", nameOf(table)),
  };
}

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
