/** The log of job status changes, each written in the transaction that makes the change. */
import type { EventRow, JobRow } from "../tables/jobs.ts";

/** Numbered without gaps, in commit order, across all nodes. */
export interface JobChange extends EventRow {
  /** Its row is damaged: it has nothing but its position. */
  readonly damaged?: true;
}

/** The end of a job, with its run time and queue time if it ran and its row still exists. */
export interface EndedJob
  extends Pick<EventRow, "at" | "host" | "caller" | "errorType">,
    Pick<JobRow, "durationMs" | "queueMs"> {
  readonly status: "finished" | "failed" | "cancelled";
}

export type JobNow = Omit<JobChange, "n">;

/** A position in the log, with the job at it: this shows whether the log was restored from a backup and renumbered. */
export interface EventMark {
  /** 0: before the first entry. */
  readonly n: number;
  /** Empty before the first entry. */
  readonly jobId: string;
}

export interface EventLog {
  /** Changes after a position, in order; fewer than `limit` at the end of the log. */
  after(n: number, limit: number): Promise<JobChange[]>;
  /**
   * Job ends within a range of positions (`after` exclusive, `upTo` inclusive), newest first.
   * @returns also the time of the oldest change in the range; undefined if the range is empty
   */
  ends(after: number, upTo: number): Promise<{ ends: EndedJob[]; oldestAt: number | undefined }>;
  /** The newest position. */
  last(): Promise<EventMark>;
  /** The current state of a job and the newest position, from one snapshot. */
  ofJob(id: string): Promise<{ readonly job: JobNow; readonly last: EventMark } | undefined>;
  /**
   * @param listener is called after each write of this process
   * @returns unsubscribes
   */
  onWritten(listener: () => void): () => void;
  /**
   * Deletes one batch of entries beyond the limits on age and count. The newest entry is always kept.
   * @returns whether more remain to be deleted
   */
  trim(keptMs: number, keptCount: number): Promise<boolean>;
}
