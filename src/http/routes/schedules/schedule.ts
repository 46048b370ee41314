/** Schedules: requests that run at given times. */

import * as v from "valibot";
import { textParameter } from "../../../api/filters.ts";
import {
  firingRecord,
  type ScheduleRecord,
  scheduleChange,
  schedulePreview,
  scheduleRecord,
  scheduleRequest,
} from "../../../api/schedules/schedule.ts";
import { described, text } from "../../../api/schema.ts";
import { ServiceError } from "../../../base/errors.ts";
import { success, successPage } from "../../answer/respond.ts";
import type { Call } from "../../call.ts";
import { conditionOf, etagOf } from "../../precondition.ts";
import { limitParameter, omitUndefined } from "../../query.ts";
import { route } from "../../route.ts";

const defaultLimit = 100;
const query = v.object({ limit: limitParameter, cursor: textParameter });
const etag = { ETag: "Its revision, for `If-Match`" };

function tagged(record: ScheduleRecord, status: 200 | 201 = 200): Response {
  return success(record, "success", status, etagOf(record.revision));
}

/** @throws ServiceError BadRequest, PreconditionFailed */
function revisionOf(call: Call): number | undefined {
  const condition = conditionOf(call);
  if (condition === "none")
    throw new ServiceError(
      "PreconditionFailed",
      "The path names a schedule that exists; create one with POST.",
    );
  return condition === "*" ? undefined : condition;
}

/** A change of one that exists, if its revision is the one in `If-Match`. */
const written = {
  scope: "operate",
  headers: ["If-Match"],
  answer: scheduleRecord,
  gives: etag,
  fails: ["409", "412"],
} as const;

const writing = (step: "replace" | "change") => async (call: Call) => {
  const { options, name = "", caller } = call;
  const revision = revisionOf(call);
  return tagged(await options.schedules[step](name, await call.body(), caller, revision));
};

export const scheduleRoutes = [
  route({
    id: "listSchedules",
    method: "GET",
    path: "/schedule",
    scope: "read",
    summary: "List schedules, newest first",
    query: v.object({ ...query.entries, submitted_by: textParameter }),
    answer: v.array(scheduleRecord),
    paged: true,
    async handle({ options, caller }, { limit = defaultLimit, cursor, submitted_by }) {
      const asked = omitUndefined({ limit, cursor, submitted_by });
      const { schedules, next } = await options.schedules.list(caller, asked);
      return successPage(schedules, next);
    },
  }),
  route({
    id: "addSchedule",
    method: "POST",
    path: "/schedule",
    grows: true,
    scope: "operate",
    summary: "Create a schedule",
    body: scheduleRequest,
    answer: scheduleRecord,
    created: true,
    gives: etag,
    handle: async (call) => tagged(await call.options.schedules.add(await call.body(), call.caller), 201),
  }),
  route({
    id: "previewSchedule",
    method: "POST",
    path: "/schedule/preview",
    scope: "operate",
    summary: "Preview the next ten firings of a schedule without creating it",
    body: scheduleRequest,
    answer: schedulePreview,
    handle: async (call) => call.options.schedules.preview(await call.body(), call.caller),
  }),
  route({
    id: "readSchedule",
    method: "GET",
    path: "/schedule/:name",
    scope: "read",
    summary: "Read a schedule, with its next ten firings",
    answer: scheduleRecord,
    gives: etag,
    handle: async ({ options, name = "", caller }) => tagged(await options.schedules.read(name, caller)),
  }),
  route({
    id: "replaceSchedule",
    method: "PUT",
    path: "/schedule/:name",
    grows: true,
    summary: "Replace a schedule",
    body: scheduleRequest,
    ...written,
    handle: writing("replace"),
  }),
  route({
    id: "changeSchedule",
    method: "PATCH",
    path: "/schedule/:name",
    grows: true,
    summary: "Change fields of a schedule; null removes one",
    body: scheduleChange,
    ...written,
    handle: writing("change"),
  }),
  route({
    id: "removeSchedule",
    method: "DELETE",
    path: "/schedule/:name",
    scope: "operate",
    summary: "Remove a schedule with its history",
    answer: described(text, "Its id"),
    handle: ({ options, name = "", caller }) => options.schedules.remove(name, caller),
  }),
  route({
    id: "pauseSchedule",
    method: "POST",
    path: "/schedule/:name/pause",
    scope: "operate",
    summary: "Pause a schedule until it is resumed",
    answer: scheduleRecord,
    gives: etag,
    fails: ["409"],
    handle: async ({ options, name = "", caller }) => tagged(await options.schedules.pause(name, caller)),
  }),
  route({
    id: "resumeSchedule",
    method: "POST",
    path: "/schedule/:name/resume",
    scope: "operate",
    summary: "Resume a schedule from now on",
    answer: scheduleRecord,
    gives: etag,
    fails: ["409"],
    handle: async ({ options, name = "", caller }) => tagged(await options.schedules.resume(name, caller)),
  }),
  route({
    id: "runSchedule",
    method: "POST",
    path: "/schedule/:name/run",
    grows: true,
    scope: "operate",
    summary: "Fire a schedule now, in addition to its regular times",
    answer: firingRecord,
    refusable: true,
    handle: ({ options, name = "", caller }) => options.schedules.run(name, caller),
  }),
  route({
    id: "listFirings",
    method: "GET",
    path: "/schedule/:name/firing",
    scope: "read",
    summary: "List the firings of a schedule, newest first",
    query,
    answer: v.array(firingRecord),
    paged: true,
    async handle({ options, name = "", caller }, { limit = defaultLimit, cursor }) {
      const page = omitUndefined({ limit, cursor });
      const { firings, next } = await options.schedules.firings(name, caller, page);
      return successPage(firings, next);
    },
  }),
];
