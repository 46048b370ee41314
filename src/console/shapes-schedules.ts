/** Schemas of the schedule answers that the console reads. */
import * as v from "valibot";

const text = v.optional(v.string());

export const firing = v.looseObject({
  due_at: v.string(),
  fired_at: v.nullable(v.string()),
  status: v.string(),
  manual: v.optional(v.boolean()),
  bulk_id: text,
  reason: text,
});

export const schedule = v.looseObject({
  id: v.string(),
  name: v.string(),
  state: v.string(),
  why: text,
  cron: text,
  time_zone: text,
  every: text,
  at: text,
  not_before: text,
  not_after: text,
  // The service omits what it cannot read.
  what: v.looseObject({ kind: v.optional(v.string(), "") }),
  window: v.optional(v.array(v.string())),
  overlap: v.optional(v.string(), ""),
  label: text,
  ticket: text,
  owner: v.looseObject({ name: v.string(), scope: v.string() }),
  created_at: v.string(),
  next: v.array(v.string()),
  last: v.nullable(firing),
});
export type Schedule = v.InferOutput<typeof schedule>;

export const times = ["cron", "every", "at"] as const;
export type Time = (typeof times)[number];

export const preview = v.object({ next: v.array(v.string()) });
