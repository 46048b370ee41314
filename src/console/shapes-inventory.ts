/** Schemas of the inventory answers that the console reads. */
import * as v from "valibot";

const text = v.nullish(v.string());

/** A device or a group, effective or as written. */
export const entry = v.looseObject({
  name: v.string(),
  host: text,
  port: v.nullish(v.number()),
  platform: text,
  driver: text,
  site: text,
  role: text,
  tags: v.nullish(v.array(v.string())),
  group: text,
  parent: text,
  enabled: v.nullish(v.boolean()),
  from: v.optional(v.record(v.string(), v.string())),
  facts: v.nullish(v.record(v.string(), v.unknown())),
});
export type Entry = v.InferOutput<typeof entry>;

export const upsert = v.object({
  dry_run: v.boolean(),
  added: v.number(),
  changed: v.number(),
  removed: v.number(),
  unchanged: v.number(),
  diff: v.array(
    v.object({
      kind: v.string(),
      name: v.string(),
      change: v.string(),
      fields: v.record(v.string(), v.object({ from: v.optional(v.unknown()), to: v.optional(v.unknown()) })),
    }),
  ),
  diff_truncated: v.boolean(),
});
export type Upsert = v.InferOutput<typeof upsert>;

const count = v.nullable(v.number());
const sourceRun = v.object({
  status: v.string(),
  started_at: v.string(),
  ended_at: v.string(),
  by: v.string(),
  dry_run: v.boolean(),
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
  error: text,
});
export type SourceRun = v.InferOutput<typeof sourceRun>;

/** An inventory source; `runs` are its latest syncs, newest first. */
export const source = v.looseObject({
  name: v.string(),
  kind: v.string(),
  url: v.string(),
  mode: text,
  changed_at: v.string(),
  runs: v.array(sourceRun),
});
export type Source = v.InferOutput<typeof source>;
