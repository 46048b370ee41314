/** Worker records as in GET /worker, and worker names. */
import * as v from "valibot";
import { described, integer, moment, named, text, texts } from "../schema.ts";

/** The queue whose jobs any fifo worker may take; the others are pinned to a host. */
export const fifoQueue = "fifo";

export const workerStatuses = ["idle", "busy", "suspended", "dead"] as const;
export type WorkerStatus = (typeof workerStatuses)[number];

/** Prefix of worker names: `<node>.fifo.<n>` for the fifo queue, `<node>.pinned_<host>` for a host. */
export function workerPrefix(node: string, strategy: "fifo" | "pinned"): string {
  return strategy === "fifo" ? `${node}.${fifoQueue}.` : `${node}.`;
}

export function fifoWorker(node: string, index: number): string {
  return `${workerPrefix(node, "fifo")}${index}`;
}

export function pinnedWorker(node: string, queue: string): string {
  return `${workerPrefix(node, "pinned")}${queue}`;
}

/** The queue of a pinned worker of this node. */
export function queueOfWorker(node: string, worker: string): string {
  return worker.slice(workerPrefix(node, "pinned").length);
}

export const workerRecord = named(
  "Worker",
  v.object({
    name: described(text, "`<node>.fifo.<n>` or `<node>.pinned_<host>`"),
    status: v.picklist(workerStatuses),
    pid: integer,
    hostname: text,
    node: text,
    queues: texts,
    device: v.optional(
      described(text, "Inventory device of a pinned worker, if it is the only one at that host"),
    ),
    current_job: v.nullable(text),
    last_heartbeat: moment,
    birth_at: moment,
    successful_job_count: integer,
    failed_job_count: integer,
  }),
);
export type WorkerRecord = v.InferOutput<typeof workerRecord>;
