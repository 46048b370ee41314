/** What was done: the audit trail, what pushes sent and received, and the log of status changes. */
import type { AuditAction } from "../../api/admin/audit.ts";
import type { Submitter } from "../../api/jobs/job.ts";
import type { AuditRow, TranscriptRow } from "../tables/audit.ts";
import type { Opened } from "../tables/columns.ts";
import type { EventRow, JobRow } from "../tables/jobs.ts";

/** Who acted: the caller of a request, the user of the command line, or the service itself. */
export interface Actor {
  readonly keyId: string;
  readonly name: string;
  /** Network address. */
  readonly from: string | null;
  /** Who acts, if not the key. */
  readonly submitter?: Submitter | undefined;
  /** The person who signed in, or whose key it is. */
  readonly person?: { readonly id: string; readonly name: string } | undefined;
}

/** Whoever wrote something, with the name of now; null: it was stored before this was noted. */
export interface StoredWriter {
  readonly submitterKind: Submitter["kind"] | null;
  readonly submitter: string | null;
}

export interface NewAuditEntry {
  readonly caller: Actor;
  readonly action: AuditAction;
  readonly host?: string | null | undefined;
  readonly jobId?: string | null | undefined;
  readonly outcome: string;
  readonly detail?: string | null | undefined;
}

/** Times are milliseconds since 1970. */
export type StoredAuditEntry = Opened<AuditRow>;

/** Methods that change jobs, keys or host keys write their own audit entries, in the transaction of the change. */
export interface Audit {
  /** Adds an entry for an action that changes nothing else in the store. */
  add(entry: NewAuditEntry): Promise<void>;

  /** Newest first. `since` is inclusive, `until` exclusive. */
  page(
    conditions: {
      readonly since?: number | undefined;
      readonly until?: number | undefined;
      readonly beforeId?: number | undefined;
    },
    limit: number,
  ): Promise<StoredAuditEntry[]>;
}

export interface NewTranscript {
  /** JSON text without secrets; encrypted by the store. */
  readonly content: string;
  readonly sha256: string;
}

/** `at`: when the job ended, in ms since 1970. */
export interface StoredTranscript extends Omit<TranscriptRow, "content"> {
  /** Null if it can no longer be decrypted. */
  readonly content: string | null;
}

/** What pushes sent and received: written with the end of the job, and kept as long as the audit trail. */
export interface Transcripts {
  /** Also after its job was deleted. */
  find(jobId: string): Promise<StoredTranscript | undefined>;
}

/** Numbered without gaps, in commit order, across all nodes. */
export interface JobChange extends EventRow {
  /** Who submitted the job; null: it was deleted since. */
  readonly submitterKind: Submitter["kind"] | null;
  readonly submitter: string | null;
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

/** The log of job status changes, each written in the transaction that makes the change. */
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
   * @param listener is called after each write of this process, and of other nodes where the store hears of them
   * @returns unsubscribes
   */
  onWritten(listener: () => void): () => void;
  /**
   * @param listener is called after writes of other nodes, where the store hears of them; a poll finds the rest
   * @returns unsubscribes
   */
  onHeard(listener: () => void): () => void;
  /**
   * Deletes one batch of entries beyond the limits on age and count. The newest entry is always kept.
   * @returns whether more remain to be deleted
   */
  trim(keptMs: number, keptCount: number): Promise<boolean>;
}
