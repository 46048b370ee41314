/** Description of /detached-task: its routes and what they answer. */
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
  id: { ...text, description: "That of the job which started it" },
  host: text,
  driver: text,
  state: {
    type: "string",
    enum: detachedStates,
    description:
      "`lost`: its process is gone without an exit status; `rebooted`: its server was started anew since",
  },
  exit_status: orNull(integer),
  created_at: moment,
  started_at: orNull({ ...moment, description: "By the clock of the server" }),
  ended_at: orNull(moment),
  seen_at: orNull({ ...moment, description: "When the server was last asked" }),
  command: { description: "Its first line, without secrets." },
  config: { description: "Its first line, without secrets." },
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
    output: { ...text, description: "Both streams in one; bytes that are not UTF-8 are replaced" },
    offset: integer,
    next_offset: { ...integer, description: "Where the next piece begins" },
    size: { ...integer, description: "Bytes of the whole output so far" },
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
      summary: "Work that outlives its jobs, newest first, as it was when its servers were last asked",
      data: listOf(refTo("DetachedTask")),
      query: detachedTaskQuery,
      gives: { "X-Next-Cursor": "Cursor of the next page; absent on the last" },
      fails: ["422"],
    },
  },
  "/detached-task/{name}": {
    get: {
      summary:
        "Asks the server how a task stands, and for at most 1 MiB of its output from a byte on; `name` is its id",
      data: refTo("DetachedTaskPiece"),
      query: detachedOutputQuery,
      refusable: true,
      fails: ["404", "422"],
    },
    delete: {
      summary: "Stop a task that runs; remove one that is over, from its server, too",
      data: refTo("EndedDetachedTask"),
      query: endDetachedQuery,
      refusable: true,
      fails: ["404", "422"],
    },
  },
} as const;
