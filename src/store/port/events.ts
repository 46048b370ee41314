/** What happens to jobs, as a log with positions: each change of a status, written in the transaction that makes it. */
import type { JobStatus } from "../../model/job.ts";

export interface JobChange {
  /** Its position: changes are numbered as they are committed, by all nodes together, without a gap. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly jobId: string;
  readonly bulkId: string | null;
  readonly host: string;
  /** Id of the API key that submitted the job. */
  readonly caller: string;
  readonly status: JobStatus;
  /** Kind of the error of one that failed. */
  readonly errorType: string | null;
  readonly attempt: number;
  /** That runs it, or ran it. */
  readonly node: string | null;
}

/** The end of a job, with how long it ran and waited, where it has run and its row is there. */
export interface EndedJob {
  readonly at: number;
  readonly host: string;
  readonly caller: string;
  readonly status: "finished" | "failed" | "cancelled";
  readonly errorType: string | null;
  readonly durationMs: number | null;
  readonly queueMs: number | null;
}

export type JobNow = Omit<JobChange, "n">;

/** A position, and what tells whether it is still that of the same change: a log that was put back counts anew. */
export interface EventMark {
  /** 0: before the first. */
  readonly n: number;
  /** Empty before the first. */
  readonly jobId: string;
}

export interface EventLog {
  /** Those behind a position, in order; fewer than the limit where the log ends. */
  after(n: number, limit: number): Promise<JobChange[]>;
  /**
   * The ends among the changes behind a position and up to another, newest first.
   * @returns with the time of the oldest of all these changes; undefined: there are none.
   */
  ends(after: number, upTo: number): Promise<{ ends: EndedJob[]; oldestAt: number | undefined }>;
  /** The newest. */
  last(): Promise<EventMark>;
  /** A job as it is now, and the newest change at that moment. */
  ofJob(id: string): Promise<{ readonly job: JobNow; readonly last: EventMark } | undefined>;
  /** @param listener is called when this process has written something. @returns stops that. */
  onWritten(listener: () => void): () => void;
  /**
   * Deletes a piece of the oldest: what is older or more than is kept. The newest always stays.
   * @returns whether there is more to delete.
   */
  trim(keptMs: number, keptCount: number): Promise<boolean>;
}
