/** The log of job status changes, each written in the transaction that makes the change. */
import type { JobStatus } from "../../api/job.ts";

export interface JobChange {
  /** Its position: changes are numbered without gaps, in commit order, across all nodes. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly jobId: string;
  readonly bulkId: string | null;
  readonly host: string;
  /** Id of the API key that submitted the job. */
  readonly caller: string;
  readonly status: JobStatus;
  /** Error type, if the job failed. */
  readonly errorType: string | null;
  readonly attempt: number;
  /** The node that runs or ran it. */
  readonly node: string | null;
  readonly dryRun: boolean | null;
  /** Its row is damaged: it has nothing but its position. */
  readonly damaged?: true;
}

/** The end of a job, with its run time and queue time if it ran and its row still exists. */
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
