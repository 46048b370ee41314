/** Detached tasks: work on a server that outlives the job that started it. */
import type { JobRecord, Priority } from "./job.ts";

/** `starting` until its job has ended; `lost`: the process is gone without exit status; `rebooted`: the server was. */
export const detachedStates = ["starting", "running", "ended", "stopped", "lost", "rebooted"] as const;
export type DetachedTaskState = (typeof detachedStates)[number];

/** Whether the task has ended. */
export function isOver(state: DetachedTaskState): boolean {
  return state !== "starting" && state !== "running";
}

/** As in `GET /detached-task`: the last known state. */
export interface DetachedTaskRecord {
  /** Id of the job that started it. */
  id: string;
  host: string;
  driver: string;
  state: DetachedTaskState;
  exit_status: number | null;
  /** ISO 8601. */
  created_at: string;
  /** Clock of the server. */
  started_at: string | null;
  ended_at: string | null;
  /** When the server was last queried. */
  seen_at: string | null;
  /** Summary of the request without secrets. */
  command?: unknown;
  config?: unknown;
  request?: JobRecord["request"];
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  priority?: Priority;
}

/** A record with a piece of output. */
export interface DetachedTaskPiece extends DetachedTaskRecord {
  /** Both streams merged; invalid UTF-8 is replaced. */
  output: string;
  /** Byte offsets of this and the next piece. */
  offset: number;
  next_offset: number;
  /** Total output so far in bytes. */
  size: number;
}
