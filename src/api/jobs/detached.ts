/** Detached tasks: work on a server that outlives the job that started it. */
import * as v from "valibot";
import { described, integer, moment, named, text, texts } from "../schema.ts";
import { priorities, requestSize, submitter } from "./job.ts";

/** `starting` until its job has ended; `lost`: the process is gone without exit status; `rebooted`: the server was. */
export const detachedStates = ["starting", "running", "ended", "stopped", "lost", "rebooted"] as const;
export type DetachedTaskState = (typeof detachedStates)[number];

/** Whether the task has ended. */
export function isOver(state: DetachedTaskState): boolean {
  return state !== "starting" && state !== "running";
}

const summary = described(text, "First line of the request, without secrets");

const record = {
  id: described(text, "Id of the job that started the task"),
  host: text,
  driver: text,
  state: described(
    v.picklist(detachedStates),
    "`lost`: the process is gone without an exit status; `rebooted`: the server was restarted since",
  ),
  submitted_by: submitter,
  exit_status: v.nullable(integer),
  created_at: moment,
  started_at: v.nullable(described(moment, "By the clock of the server")),
  ended_at: v.nullable(moment),
  seen_at: v.nullable(described(moment, "When the server was last polled")),
  command: v.exactOptional(summary),
  config: v.exactOptional(summary),
  request: v.exactOptional(requestSize),
  label: v.exactOptional(text),
  ticket: v.exactOptional(text),
  note: v.exactOptional(text),
  tags: v.exactOptional(texts),
  priority: v.exactOptional(v.picklist(priorities)),
};

/** As in `GET /detached-task`: the last known state. */
export const detachedTask = named("DetachedTask", v.object(record));
export type DetachedTaskRecord = v.InferOutput<typeof detachedTask>;

/** With a piece of output. */
export const detachedTaskPiece = named(
  "DetachedTaskPiece",
  v.object({
    ...record,
    output: described(text, "stdout and stderr combined; bytes that are not UTF-8 are replaced"),
    offset: described(integer, "Of the first byte"),
    next_offset: described(integer, "Offset of the next chunk"),
    size: described(integer, "Total output so far, in bytes"),
  }),
);
export type DetachedTaskPiece = v.InferOutput<typeof detachedTaskPiece>;

export const endedDetachedTask = named(
  "EndedDetachedTask",
  v.object({ ...record, removed: described(v.boolean(), "Whether it was over, and is gone now") }),
);
