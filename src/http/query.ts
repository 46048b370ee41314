/** Validated query parameters: an unknown status or an absurd page size is reported, not guessed at. */
import * as v from "valibot";
import {
  bulkFilter,
  isTrue,
  jobFilter,
  listedJobFilter,
  momentParameter as moment,
  oneOf,
  textParameter as text,
  truths,
} from "../api/filters.ts";
import { type JobStatus, jobFields, jobStatuses, statusAliases, statusNamed } from "../api/jobs/job.ts";
import { resultGroupLimits } from "../api/jobs/result-groups.ts";
import { described } from "../api/schema.ts";
import { refuse } from "../base/issues.ts";

const maxPerPage = 500;

/** From 1. */
export const wholeNumber = (most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, "must be a whole number"),
    v.transform(Number),
    v.minValue(1, "must be at least 1"),
    v.maxValue(most, `must be at most ${most}`),
  );
const count = v.optional(wholeNumber(maxPerPage));

export { count as limitParameter };

/** Field names of a record, comma-separated. */
const fields = v.optional(
  v.pipe(
    v.string(),
    v.description("Comma-separated fields of the record to return"),
    v.transform((value) => value.split(",").map((name) => name.trim())),
    v.check(
      (names) => names.every((name) => jobFields.includes(name)),
      `must be comma-separated fields of a record: ${jobFields.join(", ")}`,
    ),
  ),
);
export const truth = oneOf(truths);
/** A truth with its meaning. */
export const truthTold = (description: string) =>
  v.pipe(
    described(v.picklist(truths, `must be one of ${truths.join(", ")}`), description),
    v.transform((word) => isTrue(word)),
  );
export const jobFilters = Object.keys(jobFilter.entries);
export const jobQuery = v.object({
  ...listedJobFilter.entries,
  limit: count,
  cursor: text,
  fields,
  include_result: described(truth, "`false` omits the results"),
});
/** One or several statuses; `queued` includes held jobs. */
const statuses = v.optional(
  v.pipe(
    v.string(),
    v.check(
      (list) => list.split(",").every(isStatus),
      `must be comma-separated statuses: ${jobStatuses.join(", ")}`,
    ),
    v.transform((list) => list.split(",").filter(isStatus).map(statusNamed).flatMap(withHeld)),
  ),
);
export const eventQuery = v.object({ bulk_id: text, host: text, select: text, status: statuses });
export const bulkEventQuery = v.object({
  host: text,
  status: statuses,
  output: described(truth, "`true`: with live output of the devices"),
  states: described(truth, "`false`: counts only"),
});

const exportFormats = ["csv", "jsonl", "zip"] as const;
export type ExportFormat = (typeof exportFormats)[number];
const format = v.optional(v.picklist(exportFormats, `must be one of ${exportFormats.join(", ")}`), "jsonl");
export const exportQuery = v.object({ ...jobFilter.entries, format, cursor: text });
export const bulkExportQuery = v.object({ format, cursor: text });
export const resultsQuery = v.object({
  command: described(text, "Only outputs of this command"),
  contains: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1, "must not be empty"),
      v.maxLength(1_000, "is too long"),
      v.description("Only outputs with this text, in upper or lower case"),
    ),
  ),
  limit: v.optional(wholeNumber(resultGroupLimits.mostGroups)),
  devices: described(
    v.optional(wholeNumber(resultGroupLimits.mostDevices)),
    "Devices named in each group, 1 to 1,000; default 20",
  ),
});
export const cancelQuery = v.object({
  ...jobFilter.entries,
  force: truth,
});
export const bulkQuery = v.object({ ...bulkFilter.entries, limit: count, cursor: text });
export const cancelBulkQuery = v.object({ force: truth });
export const keyQuery = v.object({ id: text, name: text });
export const auditQuery = v.object({
  who: described(text, "By name or id of the key that acted"),
  action: described(text, "By action, such as `key.add`, or by its kind, such as `key`"),
  host: text,
  device: text,
  bulk_id: text,
  job_id: described(text, "The entries of one job"),
  ticket: text,
  submitted_by: text,
  since: moment,
  until: moment,
  limit: count,
  cursor: text,
});

function isStatus(word: string): word is JobStatus | (typeof statusAliases)[number] {
  return statusWords.has(word);
}

const statusWords: ReadonlySet<string> = new Set([...jobStatuses, ...statusAliases]);
const withHeld = (status: JobStatus): JobStatus[] => (status === "queued" ? ["queued", "held"] : [status]);

/** For routes without parameters. */
export const noQuery = v.object({});

export type QuerySchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** The API key may be a query parameter of any route. */
const keyParameter = /^x-api-key$/i;
const maxTold = 20;

/**
 * Rejects unknown parameters: a misspelt filter would otherwise be ignored, and the request would act on everything.
 * @throws ServiceError Validation: a parameter that is unknown or given twice
 */
export function requireParameters(schema: QuerySchema, url: URL): void {
  if (url.search === "") return;
  const accepted = Object.keys(schema.entries);
  const names = [...new Set(url.searchParams.keys())].filter((name) => !keyParameter.test(name));
  const unknown = names.filter((name) => !accepted.includes(name));
  const twice = names.filter((name) => accepted.includes(name) && url.searchParams.getAll(name).length > 1);
  const hint = accepted.length === 0 ? "this endpoint has none" : `known are ${accepted.join(", ")}`;
  const issues = [
    ...unknown.map((name) => ({
      path: name.slice(0, 64),
      message: `is not a parameter of this endpoint: ${hint}`,
    })),
    ...twice.map((path) => ({ path, message: "is given more than once" })),
  ];
  if (issues.length > 0) refuse(issues.slice(0, maxTold));
}

/** @throws ServiceError Validation */
export function queryOf<S extends QuerySchema>(schema: S, url: URL): v.InferOutput<S> {
  const result = v.safeParse(schema, Object.fromEntries(url.searchParams));
  if (result.success) return result.output;
  return refuse(result.issues.map((issue) => ({ path: v.getDotPath(issue) ?? "", message: issue.message })));
}

/** @throws ServiceError Validation: a request that acts on many requires a filter. */
export function requireFilter(filter: object, names: readonly string[]): void {
  if (Object.keys(filter).length > 0) return;
  const message = `one of ${names.slice(0, -1).join(", ")} and ${names.at(-1)} is required`;
  refuse([{ path: names[0] ?? "", message }]);
}

/** Drops undefined members, so that filters contain only what they filter by. */
export function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
