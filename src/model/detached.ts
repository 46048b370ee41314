/** The words of a detached task: work on a server that outlives the job which started it. */
import type { JobRecord, Priority } from "./job.ts";

/** `starting` until its job has ended; `lost`: its process is gone without an exit status; `rebooted`: with its server. */
export const detachedStates = ["starting", "running", "ended", "stopped", "lost", "rebooted"] as const;
export type DetachedTaskState = (typeof detachedStates)[number];

/** Nothing of it runs any more. */
export function isOver(state: DetachedTaskState): boolean {
  return state !== "starting" && state !== "running";
}

/** As `GET /detached-task` lists it: as it was when its server was last asked. */
export interface DetachedTaskRecord {
  /** That of the job which started it. */
  id: string;
  host: string;
  driver: string;
  state: DetachedTaskState;
  exit_status: number | null;
  /** ISO 8601. */
  created_at: string;
  /** By the clock of the server. */
  started_at: string | null;
  ended_at: string | null;
  /** When the server was last asked. */
  seen_at: string | null;
  /** What was asked, in short and without secrets. */
  command?: unknown;
  config?: unknown;
  request?: JobRecord["request"];
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  priority?: Priority;
}

/** With a piece of its output. */
export interface DetachedTaskPiece extends DetachedTaskRecord {
  /** Both streams in one; bytes that are no text are replaced. */
  output: string;
  /** Bytes from the beginning of the output to the piece, and to the next one. */
  offset: number;
  next_offset: number;
  /** Bytes of the whole output so far. */
  size: number;
}
