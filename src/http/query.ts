/** Query parameters, checked: an unknown status or a page of a billion is told, not guessed at. */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import { jobStatuses } from "../model/job.ts";
import { workerStatuses } from "../model/worker.ts";

const text = v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(512)));
const moment = v.optional(
  v.pipe(
    v.string(),
    v.check((value) => !Number.isNaN(Date.parse(value)), "must be an ISO 8601 time"),
  ),
);
const count = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, "must be a whole number"),
    v.transform(Number),
    v.minValue(1, "must be at least 1"),
    v.maxValue(10_000, "must be at most 10000"),
  ),
);
const oneOf = <const T extends readonly string[]>(values: T) =>
  v.optional(v.picklist(values, `must be one of ${values.join(", ")}`));

const jobFields = {
  id: text,
  status: oneOf(jobStatuses),
  queue: text,
  host: text,
  driver: text,
  bulk_id: text,
  since: moment,
};

export const jobQuery = v.object({ ...jobFields, limit: count, cursor: text });
export const cancelQuery = v.object({
  id: text,
  queue: text,
  host: text,
  force: oneOf(["true", "false", "1", "0"]),
});
export const workerQuery = v.object({
  name: text,
  queue: text,
  node: text,
  host: text,
  status: oneOf(workerStatuses),
});
export const auditQuery = v.object({ since: moment, limit: count, cursor: text });

/** @throws ServiceError Validation */
export function queryOf<S extends v.GenericSchema>(schema: S, url: URL): v.InferOutput<S> {
  const result = v.safeParse(schema, Object.fromEntries(url.searchParams));
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => ({ path: v.getDotPath(issue) ?? "", message: issue.message }));
  throw new ServiceError("Validation", "Validation Error", { issues });
}

/** Without the members that are absent: filters say what they filter. */
export function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
