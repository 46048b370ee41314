/** Detached tasks: work on servers that outlives the job that started it. */

import * as v from "valibot";
import { isTrue, oneOf, textParameter } from "../../../api/filters.ts";
import {
  detachedStates,
  detachedTask,
  detachedTaskPiece,
  endedDetachedTask,
} from "../../../api/jobs/detached.ts";
import { described } from "../../../api/schema.ts";
import { successPage } from "../../answer/respond.ts";
import { limitParameter, omitUndefined, truth } from "../../query.ts";
import { route } from "../../route.ts";

const offset = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, "must be a whole number of bytes"),
    v.description("First byte to return"),
    v.transform(Number),
  ),
  "0",
);

export const detachedTaskRoutes = [
  route({
    id: "listDetachedTasks",
    method: "GET",
    path: "/detached-task",
    scope: "read",
    summary: "List detached tasks, newest first, with the state last seen on their servers",
    query: v.object({
      host: textParameter,
      state: described(oneOf(detachedStates), "By state"),
      submitted_by: textParameter,
      limit: limitParameter,
      cursor: textParameter,
    }),
    answer: v.array(detachedTask),
    paged: true,
    async handle({ options, caller }, { limit, cursor, ...filter }) {
      const page = omitUndefined({ limit, cursor });
      const { tasks, next } = await options.detached.detachedTasks(omitUndefined(filter), caller, page);
      return successPage(tasks, next);
    },
  }),
  route({
    id: "readDetachedTask",
    method: "GET",
    path: "/detached-task/:name",
    scope: "read",
    summary:
      "Poll the server for the state of a task and at most 1 MiB of its output from an offset on; `name` is its id",
    query: v.object({ offset }),
    answer: detachedTaskPiece,
    refusable: true,
    handle(call, { offset }) {
      const { caller, request, options, name = "" } = call;
      return options.detached.readDetachedTask(name, offset, caller, request.signal);
    },
  }),
  route({
    id: "endDetachedTask",
    method: "DELETE",
    path: "/detached-task/:name",
    scope: "operate",
    summary: "Stop a running task; remove one that is over, also from its server",
    query: v.object({ force: truth }),
    answer: endedDetachedTask,
    refusable: true,
    handle(call, { force }) {
      const { caller, request, options, name = "" } = call;
      return options.detached.endDetachedTask(name, isTrue(force), caller, request.signal);
    },
  }),
];
