/** Schedules: schemas of requests, stored form and records. */
import * as v from "valibot";
import { isRecord } from "../base/json/members.ts";
import { members } from "../base/json/objects.ts";
import { maxWindows } from "../base/time/maintenance-windows.ts";
import { zoneNamed } from "../base/time/zone.ts";
import { isoMoment } from "./beginning.ts";
import type { BulkResult } from "./bulk.ts";
import { readStrict, type ShapeIssue } from "./strict.ts";
import { windowText } from "./window.ts";

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

export const scheduleKinds = ["query", "push", "sync", "discover"] as const;
export const overlaps = ["skip", "queue", "replace"] as const;
export type Overlap = (typeof overlaps)[number];
export const missedPolicies = ["skip", "once", "all"] as const;
export const scheduleStates = ["active", "paused", "ended", "stopped"] as const;
export type ScheduleState = (typeof scheduleStates)[number];

/** `submitting`: due, being submitted; `waiting`: for the previous firing; `done`: a completed sync. */
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
const word = (most: number) =>
  v.pipe(v.string(), v.maxLength(most), v.regex(/^[^\0-\x1f\x7f]*$/, "must not hold control characters"));
const zone = v.pipe(
  v.string(),
  v.check((name) => zoneNamed(name) !== undefined, "is not a time zone such as Europe/Berlin"),
);
const windowList = v.pipe(v.array(windowText), v.maxLength(maxWindows));

const what = v.strictObject({
  kind: v.picklist(scheduleKinds),
  /** For `query` and `push`: the body of POST /device/bulk. */
  request: v.optional(v.nullable(members)),
  /** For `sync`: name of an inventory source. */
  source: v.optional(v.nullable(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(128)))),
  /** For `discover`: the body of POST /inventory/discover. */
  discover: v.optional(v.nullable(members)),
});

const missed = v.strictObject({
  policy: v.optional(v.picklist(missedPolicies), "skip"),
  most: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 10),
});

const fields = {
  name: scheduleName,
  enabled: v.optional(v.boolean(), true),
  cron: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(200)))),
  time_zone: v.optional(v.nullable(zone)),
  every: v.optional(
    v.nullable(
      v.pipe(
        v.string(),
        v.check(
          (text) => everyMs(text) !== undefined,
          "must be a time such as 90s, 15m, 6h, 1d: 10 s to 366 days",
        ),
      ),
    ),
  ),
  at: v.optional(v.nullable(isoMoment)),
  jitter_seconds: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400)))),
  not_before: v.optional(v.nullable(isoMoment)),
  not_after: v.optional(v.nullable(isoMoment)),
  what,
  window: v.optional(v.nullable(windowList)),
  overlap: v.optional(v.picklist(overlaps), "skip"),
  missed: v.optional(missed, {}),
  label: v.optional(v.nullable(word(200))),
  ticket: v.optional(v.nullable(word(100))),
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
  what: v.omit(what, ["request", "discover"]),
});
const partialSpec = v.partial(scheduleSpec);
export type ScheduleSpec = v.InferOutput<typeof scheduleSpec>;

/** Parses the stored form. */
export function readSpec(json: string): ScheduleSpec {
  return v.parse(scheduleSpec, JSON.parse(json));
}

/** What this version can read of a stored schedule, and the fields that it cannot. */
export interface ReadableSpec {
  readonly spec: v.InferOutput<typeof partialSpec>;
  /** Empty: `spec` is whole. */
  readonly unreadable: readonly string[];
}

/** Never throws: a newer version may have written it, or its time zone is unknown on this machine. */
export function readableSpec(json: string): ReadableSpec {
  const stored = storedMembers(json);
  const read = v.safeParse(scheduleSpec, stored);
  if (read.success) return { spec: read.output, unreadable: [] };
  const unreadable = [...new Set(read.issues.map((issue) => String(issue.path?.[0].key ?? "what")))];
  const others = Object.entries(stored).filter(([field]) => !unreadable.includes(field));
  const rest = v.safeParse(partialSpec, Object.fromEntries(others));
  return { spec: rest.success ? rest.output : {}, unreadable };
}

function storedMembers(json: string): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(json);
    return isRecord(stored) ? stored : {};
  } catch {
    return {};
  }
}

export interface FiringRecord {
  /** ISO 8601. */
  due_at: string;
  /** When a node claimed it. */
  fired_at: string | null;
  status: FiringStatus;
  /** Triggered by `run`. */
  manual?: true;
  bulk_id?: string;
  /** Of that bulk; absent when its jobs were deleted. */
  result?: BulkResult;
  reason?: string;
}

export interface ScheduleRecord {
  id: string;
  name: string;
  enabled: boolean;
  state: ScheduleState;
  /** Why it was stopped or has ended, or which of its fields this version cannot read: those are absent. */
  why?: string;
  cron?: string;
  time_zone?: string;
  every?: string;
  at?: string;
  jitter_seconds?: number;
  not_before?: string;
  not_after?: string;
  what: Record<string, unknown>;
  window?: string[];
  overlap?: Overlap;
  missed?: { policy: (typeof missedPolicies)[number]; most: number };
  label?: string;
  ticket?: string;
  owner: { key_id: string; name: string; scope: string };
  created_at: string;
  changed_at: string;
  /** Grows with each change; its ETag. */
  revision: number;
  /** The next ten firings; in lists only the next one. */
  next: string[];
  last: FiringRecord | null;
}
