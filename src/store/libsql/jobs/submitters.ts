/** Who submitted a job or bulk; rows of older versions have only the key of the caller. */
import { type SubmitterCondition, submitterKinds } from "../../../api/job.ts";
import { oneOf, text } from "../database/rows/rows.ts";

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
