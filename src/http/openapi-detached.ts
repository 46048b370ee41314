/** OpenAPI description of /detached-task: routes and responses. */
import { type DetachedTaskPiece, type DetachedTaskRecord, detachedStates } from "../model/detached.ts";
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
import { detachedOutputQuery, detachedTaskQuery, endDetachedQuery } from "./query.ts";

const detachedFields = {
  id: { ...text, description: "Id of the job that started the task" },
  host: text,
  driver: text,
  state: {
    type: "string",
    enum: detachedStates,
    description:
      "`lost`: the process is gone without an exit status; `rebooted`: the server was restarted since",
  },
  exit_status: orNull(integer),
  created_at: moment,
  started_at: orNull({ ...moment, description: "By the clock of the server" }),
  ended_at: orNull(moment),
  seen_at: orNull({ ...moment, description: "When the server was last polled" }),
  command: { description: "First line of the request, without secrets." },
  config: { description: "First line of the request, without secrets." },
  request: anyObject,
  ...{ label: text, ticket: text, note: text, tags: texts, priority: text },
};
const detachedOptional = [
  "command",
  "config",
  "request",
  "label",
  "ticket",
  "note",
  "tags",
  "priority",
] as const;
const detachedTask = record<DetachedTaskRecord>(detachedFields, [...detachedOptional]);
const detachedTaskPiece = record<DetachedTaskPiece>(
  {
    ...detachedFields,
    output: { ...text, description: "stdout and stderr combined; bytes that are not UTF-8 are replaced" },
    offset: integer,
    next_offset: { ...integer, description: "Offset of the next chunk" },
    size: { ...integer, description: "Total output so far, in bytes" },
  },
  [...detachedOptional],
);
const endedDetachedTask = record<DetachedTaskRecord & { removed: boolean }>(
  { ...detachedFields, removed: boolean },
  [...detachedOptional],
);

export const detachedTaskSchemas = {
  DetachedTask: detachedTask,
  DetachedTaskPiece: detachedTaskPiece,
  EndedDetachedTask: endedDetachedTask,
};

export const detachedTaskPaths = {
  "/detached-task": {
    get: {
      summary: "List detached tasks, newest first, with the state last seen on their servers",
      data: listOf(refTo("DetachedTask")),
      query: detachedTaskQuery,
      gives: { "X-Next-Cursor": "Cursor of the next page; absent on the last" },
      fails: ["422"],
    },
  },
  "/detached-task/{name}": {
    get: {
      summary:
        "Poll the server for the state of a task and at most 1 MiB of its output from an offset on; `name` is its id",
      data: refTo("DetachedTaskPiece"),
      query: detachedOutputQuery,
      refusable: true,
      fails: ["404", "422"],
    },
    delete: {
      summary: "Stop a running task; remove one that is over, also from its server",
      data: refTo("EndedDetachedTask"),
      query: endDetachedQuery,
      refusable: true,
      fails: ["404", "422"],
    },
  },
} as const;
