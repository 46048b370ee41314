/** The interface of the metrics: what is told to them, and what a scrape gets. */
import type { JobEvents } from "../queue/port.ts";

export interface Metrics {
  /** Of the text, for the answer. */
  readonly contentType: string;
  /** All metrics in Prometheus' text form. Never throws; a gauge that can not be read is left out. */
  text(): Promise<string>;
  requestAnswered(request: AnsweredRequest): void;
  storeAnswered(call: StoreCall): void;
  /** An attempt to deliver a webhook is over. */
  webhookAttempted(outcome: "delivered" | "failed" | "again"): void;
  /** A time of a schedule came to an end on this node. */
  scheduleFired(outcome: "submitted" | "done" | "missed" | "skipped" | "failed"): void;
  /** A schedule fires no more: its key is gone. */
  scheduleStopped(): void;
  /** A sync of a source of the inventory has ended on this node. */
  sourceSynced(status: "succeeded" | "failed"): void;
  /** Counts the ends of jobs from now on. */
  watch(jobEvents: Pick<JobEvents, "onEveryEnd">): void;
  /** Asked at each scrape. */
  show(gauges: Gauges): void;
  /** Ends what it measures by itself. */
  stop(): void;
}

export interface AnsweredRequest {
  readonly method: string;
  /** The route as it is declared, such as `/job/:name/events`; absent: none that is known. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

/** What the store says of those who wait. */
export interface Standing {
  /** Of the job that waits longest. */
  readonly queueSeconds: number;
  readonly webhooks: number;
  /** Of the webhook that waits longest. */
  readonly webhookSeconds: number;
}

export interface StoreCall {
  readonly kind: "read" | "write";
  readonly seconds: number;
  readonly failed: boolean;
}

/** How things stand now. */
export interface Gauges {
  queuedJobs(): number;
  runningJobs(): number;
  keptSessions(): number;
  deviceThreads(): number;
  templateProcesses(): number;
  /** Whether submissions are taken. */
  ready(): boolean;
  openDescriptors(): number | undefined;
  /** Of the disk of the data directory. */
  diskFreeBytes(): number | undefined;
  /** Undefined where the store does not answer. */
  standing(): Promise<Standing | undefined>;
  /** Spans of traces: sent, and given up. */
  spans(): { readonly sent: number; readonly dropped: number };
  /** Seconds since 1970 of the newest scheduled backup; undefined: there is none. */
  newestBackup(): number | undefined;
  /** Whether the last one failed; undefined: none are taken. */
  backupFailed(): boolean | undefined;
  /** Bytes of the database file; undefined where it is on a server. */
  storeBytes(): number | undefined;
}
