/** Schedules: schemas of requests, stored form and records. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { maxWindows } from "../../base/time/maintenance-windows.ts";
import { zoneNamed } from "../../base/time/zone.ts";
import { oneLine } from "../forms.ts";
import { isoMoment } from "../jobs/beginning.ts";
import { bulkResult } from "../jobs/bulk.ts";
import { described, field, integer, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { readForm } from "../stored-form.ts";
import { readStrict, type ShapeIssue } from "../strict.ts";
import { windowText } from "../window.ts";

export const scheduleLimits = {
  /** Maximum per API key, and in total. */
  maxOfKey: 1_000,
  most: 10_000,
  /** Maximum body size in bytes. */
  maxBytes: 256 * 1024,
  /** Firings kept per schedule. */
  firings: 100,
  /** Maximum queued firings per schedule (`overlap: queue`). */
  waiting: 10,
} as const;

export const scheduleKinds = ["query", "push", "sync", "discover", "history", "drift", "recipe"] as const;
type ScheduleKind = (typeof scheduleKinds)[number];

/** The member of `what` that a kind needs; `source` is a name, the others are bodies that are submitted. */
const workMembers = {
  query: "request",
  push: "request",
  sync: "source",
  discover: "discover",
  history: "history",
  drift: "drift",
  recipe: "recipe",
} as const satisfies Record<ScheduleKind, string>;

export function workMemberOf(kind: ScheduleKind | undefined) {
  return workMembers[kind ?? "query"];
}
/** Members with a body. */
export const workBodies = ["request", "discover", "history", "drift", "recipe"] as const;
export const overlaps = ["skip", "queue", "replace"] as const;
export type Overlap = (typeof overlaps)[number];
export const missedPolicies = ["skip", "once", "all"] as const;
export const scheduleStates = ["active", "paused", "ended", "stopped"] as const;
export type ScheduleState = (typeof scheduleStates)[number];

export const firingStatuses = [
  "waiting",
  "submitting",
  "submitted",
  "done",
  "skipped",
  "missed",
  "failed",
] as const;
export type FiringStatus = (typeof firingStatuses)[number];

const everyUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const everyRange = { leastMs: 10_000, maxMs: 366 * 86_400_000 } as const;

/** Parses `15m` to milliseconds; undefined if invalid or out of range. */
export function everyMs(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (everyUnits[unit] ?? Number.NaN);
  return ms >= everyRange.leastMs && ms <= everyRange.maxMs ? ms : undefined;
}

const scheduleName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][\w.:@ -]{0,127}$/, "must be up to 128 letters, digits, blanks and . _ : @ -"),
);
const word = (most: number) => v.pipe(v.string(), v.maxLength(most), v.regex(...oneLine));
const zone = v.pipe(
  v.string(),
  v.check((name) => zoneNamed(name) !== undefined, "is not a time zone such as Europe/Berlin"),
);
const optional = <const S extends v.GenericSchema>(schema: S) => field(schema);
const windowList = v.pipe(v.array(windowText), v.maxLength(maxWindows));

const scheduledRun = v.looseObject({
  name: described(v.pipe(text, v.nonEmpty("must not be empty")), "Name of the recipe"),
});
const what = v.strictObject({
  kind: v.picklist(scheduleKinds),
  request: optional(described(members, "For `query` and `push`: the body of POST /device/bulk")),
  source: optional(
    described(
      v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(128)),
      "For `sync`: name of an inventory source",
    ),
  ),
  discover: optional(described(members, "For `discover`: the body of POST /inventory/discover")),
  history: optional(described(members, "For `history`: the body of POST /history/take")),
  drift: optional(described(members, "For `drift`: the body of POST /drift/run")),
  recipe: optional(
    described(
      scheduledRun,
      "For `recipe`: its `name`, beside the members of the body of POST /recipe/{name}/run",
    ),
  ),
});

const missed = v.strictObject({
  policy: v.optional(v.picklist(missedPolicies), "skip"),
  most: v.optional(
    described(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
      "For `all`: fires at most this often",
    ),
    10,
  ),
});

const fields = {
  name: described(scheduleName, "Name of the schedule, unique among those of the key"),
  enabled: v.optional(described(v.boolean(), "`false`: the schedule is paused"), true),
  cron: optional(
    described(
      v.pipe(v.string(), v.maxLength(200)),
      "Five fields: minute, hour, day, month, day of the week. Exactly one of `cron`, `every` and `at` is required",
    ),
  ),
  time_zone: optional(described(zone, "Time zone of `cron`; default that of the service")),
  every: optional(
    described(
      v.pipe(
        v.string(),
        v.check(
          (text) => everyMs(text) !== undefined,
          "must be a time such as 90s, 15m, 6h, 1d: 10 s to 366 days",
        ),
      ),
      "Interval: `90s`, `15m`, `6h`, `1d`",
    ),
  ),
  at: optional(described(isoMoment, "A single time: ISO 8601 with offset")),
  jitter_seconds: optional(
    described(
      v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400)),
      "Each firing is delayed by up to this much",
    ),
  ),
  not_before: optional(described(isoMoment, "ISO 8601 with offset: first time at which it may fire")),
  not_after: optional(described(isoMoment, "ISO 8601 with offset: last time at which it may fire")),
  what: described(what, "The work to submit"),
  window: optional(described(windowList, "Times at which it may fire: `Mon-Fri 22:00-05:00 Europe/Berlin`")),
  overlap: v.optional(
    described(v.picklist(overlaps), "What happens if the bulk of the previous firing has not ended"),
    "skip",
  ),
  missed: v.optional(
    described(missed, "What happens to firings that were missed because no node was up"),
    {},
  ),
  label: optional(described(word(200), "Label of the jobs that it submits")),
  ticket: optional(described(word(100), "Ticket of the jobs that it submits")),
};

/** Body of POST and PUT /schedule; PATCH merges into the stored one and validates the result. */
export const scheduleRequest = v.strictObject(fields);
export type ScheduleRequest = v.InferOutput<typeof scheduleRequest>;
/** Body of PATCH: absent fields stay, null removes a field. */
export const scheduleChange = v.partial(scheduleRequest);

export function readRequest(
  value: unknown,
): { readonly request: ScheduleRequest } | { readonly issues: readonly ShapeIssue[] } {
  const read = readStrict(scheduleRequest, value);
  return "issues" in read ? read : { request: read.output };
}

/** The stored form, without the request. */
const scheduleSpec = v.object({
  ...v.omit(v.object(fields), ["name", "enabled", "what"]).entries,
  what: v.omit(what, workBodies),
});
const partialSpec = v.partial(scheduleSpec);
export type ScheduleSpec = v.InferOutput<typeof scheduleSpec>;

/** The stored work of the kind `recipe`. */
export const readRun = (kept: unknown) => v.parse(scheduledRun, kept);

/** Parses the stored form. */
export function readSpec(json: string): ScheduleSpec {
  return v.parse(scheduleSpec, JSON.parse(json));
}

/** A newer version may have written it, or its time zone is unknown on this machine. */
export const readableSpec = (json: string) => readForm(scheduleSpec, partialSpec, json);

export const firingRecord = named(
  "Firing",
  v.object({
    due_at: moment,
    fired_at: described(v.nullable(moment), "When a node claimed it"),
    status: described(
      v.picklist(firingStatuses),
      "`waiting`: for the previous firing; `submitting`: a node is about to submit it; `done`: of a sync",
    ),
    manual: v.exactOptional(described(v.literal(true), "Requested by `run`")),
    bulk_id: v.exactOptional(described(text, "Bulk that it submitted")),
    result: v.exactOptional(described(bulkResult, "Of that bulk; absent when its jobs were deleted")),
    reason: v.exactOptional(text),
  }),
);
export type FiringRecord = Unchanged<v.InferOutput<typeof firingRecord>>;

export const scheduleRecord = named(
  "Schedule",
  v.object({
    id: text,
    name: text,
    enabled: v.boolean(),
    state: v.picklist(scheduleStates),
    why: v.exactOptional(
      described(
        text,
        "Why it was stopped or has ended, or which fields this version cannot read: those are absent",
      ),
    ),
    cron: v.exactOptional(text),
    time_zone: v.exactOptional(text),
    every: v.exactOptional(text),
    at: v.exactOptional(moment),
    jitter_seconds: v.exactOptional(integer),
    not_before: v.exactOptional(moment),
    not_after: v.exactOptional(moment),
    what: described(
      v.object({
        kind: v.exactOptional(v.picklist(scheduleKinds)),
        request: v.exactOptional(described(members, "Body of POST /device/bulk")),
        source: v.exactOptional(text),
        discover: v.exactOptional(described(members, "Body of POST /inventory/discover")),
        history: v.exactOptional(described(members, "Body of POST /history/take")),
        drift: v.exactOptional(described(members, "Body of POST /drift/run")),
        recipe: v.exactOptional(
          described(members, "Name of the recipe, and members of the body of POST /recipe/{name}/run"),
        ),
      }),
      "`request` is included only when a single schedule is read. Empty if this version cannot read it",
    ),
    window: v.exactOptional(texts),
    overlap: v.exactOptional(v.picklist(overlaps)),
    missed: v.exactOptional(v.object({ policy: v.picklist(missedPolicies), most: integer })),
    label: v.exactOptional(text),
    ticket: v.exactOptional(text),
    owner: described(
      v.object({ kind: v.picklist(["key", "person"]), key_id: text, name: text, scope: text }),
      "API key or person that it submits as; `key_id` is the id of either",
    ),
    created_at: moment,
    changed_at: moment,
    revision: described(integer, "Grows with each change: its ETag"),
    next: described(v.array(moment), "The next ten firings; in a list only the next one"),
    last: v.nullable(firingRecord),
  }),
);
export type ScheduleRecord = Unchanged<v.InferOutput<typeof scheduleRecord>>;

/** Answer of POST /schedule/preview. */
export const schedulePreview = v.object({ next: v.array(moment) });
