/** OpenAPI description of /schedule: routes and responses. */
import {
  type FiringRecord,
  firingStatuses,
  missedPolicies,
  overlaps,
  type ScheduleRecord,
  scheduleChange,
  scheduleKinds,
  scheduleRequest,
  scheduleStates,
} from "../api/schedule.ts";
import { bulkResult } from "./openapi-bulks.ts";
import {
  anyObject,
  boolean,
  integer,
  listOf,
  moment,
  orNull,
  record,
  refTo,
  text,
  texts,
} from "./openapi-schema.ts";
import { scheduleQuery } from "./query.ts";

const firing = record<FiringRecord>(
  {
    due_at: moment,
    fired_at: orNull({ ...moment, description: "When a node claimed it" }),
    status: {
      type: "string",
      enum: firingStatuses,
      description:
        "`waiting`: for the previous firing; `submitting`: a node is about to submit it; `done`: of a sync",
    },
    manual: { ...boolean, description: "Requested by `run`" },
    bulk_id: { ...text, description: "Bulk that it submitted" },
    result: { ...bulkResult, description: "Of that bulk; absent when its jobs were deleted" },
    reason: text,
  },
  ["manual", "bulk_id", "result", "reason"],
);

const schedule = record<ScheduleRecord>(
  {
    id: text,
    name: text,
    enabled: boolean,
    state: { type: "string", enum: scheduleStates },
    why: {
      ...text,
      description:
        "Why it was stopped or has ended, or which fields this version cannot read: those are absent",
    },
    ...{ cron: text, time_zone: text, every: text, at: moment },
    jitter_seconds: integer,
    ...{ not_before: moment, not_after: moment },
    what: {
      type: "object",
      description:
        "`request` is included only when a single schedule is read. Empty if this version cannot read it",
      properties: {
        kind: { type: "string", enum: scheduleKinds },
        request: anyObject,
        source: text,
        discover: anyObject,
      },
    },
    window: texts,
    overlap: { type: "string", enum: overlaps },
    missed: {
      type: "object",
      properties: { policy: { type: "string", enum: missedPolicies }, most: integer },
    },
    ...{ label: text, ticket: text },
    owner: {
      type: "object",
      description: "API key that it submits as",
      properties: { key_id: text, name: text, scope: text },
    },
    ...{ created_at: moment, changed_at: moment },
    revision: { ...integer, description: "Grows with each change: its ETag" },
    next: { ...listOf(moment), description: "The next ten firings; in a list only the next one" },
    last: orNull(refTo("Firing")),
  },
  [
    ...(["why", "cron", "time_zone", "every", "at", "jitter_seconds", "not_before", "not_after"] as const),
    ...(["window", "label", "ticket", "overlap", "missed"] as const),
  ],
);

const preview = {
  type: "object",
  required: ["next"],
  properties: { next: listOf(moment) },
};

export const scheduleSchemas = { Schedule: schedule, Firing: firing };

const withBody = ["400", "413", "415", "422"] as const;
const cursor = { "X-Next-Cursor": "Cursor of the next page; absent on the last" };
const scheduleAnswer = {
  data: refTo("Schedule"),
  gives: { ETag: "Its revision, for `If-Match`" },
} as const;

export const schedulePaths = {
  "/schedule": {
    get: {
      summary: "List schedules, newest first",
      data: listOf(refTo("Schedule")),
      query: scheduleQuery,
      gives: cursor,
      fails: ["422"],
    },
    post: {
      summary: "Create a schedule",
      ...scheduleAnswer,
      body: scheduleRequest,
      created: true,
      fails: withBody,
    },
  },
  "/schedule/preview": {
    post: {
      summary: "Preview the next ten firings of a schedule without creating it",
      data: preview,
      body: scheduleRequest,
      fails: withBody,
    },
  },
  "/schedule/{name}": {
    get: { summary: "Read a schedule, with its next ten firings", ...scheduleAnswer, fails: ["404"] },
    put: {
      summary: "Replace a schedule",
      ...scheduleAnswer,
      body: scheduleRequest,
      headers: ["If-Match"],
      fails: ["404", "409", "412", ...withBody],
    },
    patch: {
      summary: "Change fields of a schedule; null removes one",
      ...scheduleAnswer,
      body: scheduleChange,
      headers: ["If-Match"],
      fails: ["404", "409", "412", ...withBody],
    },
    delete: {
      summary: "Remove a schedule with its history",
      data: { ...text, description: "Its id" },
      fails: ["404"],
    },
  },
  "/schedule/{name}/pause": {
    post: { summary: "Pause a schedule until it is resumed", ...scheduleAnswer, fails: ["404", "409"] },
  },
  "/schedule/{name}/resume": {
    post: { summary: "Resume a schedule from now on", ...scheduleAnswer, fails: ["404", "409", "422"] },
  },
  "/schedule/{name}/run": {
    post: {
      summary: "Fire a schedule now, in addition to its regular times",
      data: refTo("Firing"),
      refusable: true,
      fails: ["404", "422"],
    },
  },
  "/schedule/{name}/firing": {
    get: {
      summary: "List the firings of a schedule, newest first",
      data: listOf(refTo("Firing")),
      query: scheduleQuery,
      gives: cursor,
      fails: ["400", "404", "422"],
    },
  },
} as const;
