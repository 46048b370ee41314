/** What happens to jobs on this node, as it happens: their ends, and their live output. */
import type { PushOutcome } from "../api/jobs/checks.ts";
import type { LiveEvent, LiveStatus } from "../api/jobs/live-event.ts";
import type { ClaimedJob, JobEnd } from "../store/port.ts";

/** Events of jobs on this node; ends on other nodes are not reported. */
export interface JobEvents {
  /** The end is stored. */
  announceEnd(ending: JobEnding): void;
  /** Another node has taken the job: waiters must read it again. */
  takenElsewhere(id: string): void;
  /** @param listener called at each end of the job or in the bulk, and after `takenElsewhere`. @returns unsubscribes. */
  onEnd(idOrBulk: string, listener: () => void): () => void;
  /** A job is about to be stored. */
  submitted(id: string): void;
  /** Whether it was recently submitted here and has not ended, so that waiters need not read it. */
  isOpen(id: string): boolean;
  /** Subscribes permanently. */
  onEveryEnd(listener: (ending: JobEnding) => void): void;
  /** Live output of running jobs. */
  readonly live: LiveOutput;
}

/** Of a configuration: one of its texts is new, or none is, or one is not whole, or it could not be read. */
export const takeOutcomes = ["changed", "unchanged", "suspect", "failed"] as const;
export type TakeOutcome = (typeof takeOutcomes)[number];

export interface JobEnding {
  readonly id: string;
  readonly bulkId: string | null;
  readonly status: JobEnd["status"];
  /** Error type if it failed. */
  readonly errorType?: string;
  /** Outcome of a push with checks. */
  readonly pushed?: PushOutcome;
  /** Outcome of a take. */
  readonly took?: TakeOutcome | undefined;
  /** It rehearsed lines without a word of the device. */
  readonly unasked?: boolean;
  /** Undefined if it has not run here. */
  readonly ran?: Pick<
    ClaimedJob,
    "hostKey" | "device" | "driver" | "deviceType" | "operation" | "strategy" | "waitedMs"
  > & {
    readonly durationMs: number;
  };
}

/** Recent live output of the jobs on this node. */
export interface LiveOutput {
  /** An attempt has begun: drops output of earlier ones. */
  begin(id: string, attempt: number): void;
  /** Ignored if the job does not run here. */
  add(id: string, event: LiveEvent): void;
  /** The attempt has ended. */
  end(id: string): void;
  /** Output from a position on; undefined if the job does not run here. */
  read(id: string, from: LivePosition | undefined): LivePiece | undefined;
  /** The last progress; undefined if there is none, or the job does not run here. */
  progressOf(id: string): Progress | undefined;
  /** Subscribes to starts, output and ends of the job. @returns unsubscribes. */
  listen(id: string, listener: () => void): () => void;
  /** Total characters kept. */
  held(): number;
}

/** Progress of a file transfer in bytes. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A position in characters from the start of an attempt. */
export interface LivePosition {
  readonly attempt: number;
  readonly at: number;
}

export interface LivePiece {
  readonly text: string;
  /** Number of preceding characters that are no longer kept. */
  readonly missed: number;
  /** Position of the next piece. */
  readonly next: LivePosition;
  /** The last event of each kind; the same object until it changes. */
  readonly statuses: readonly LiveStatus[];
}
