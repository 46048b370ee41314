/** The interface of metrics: recording and scraping. */
import type { ChangeState } from "../api/changes/change.ts";
import type { DriftState } from "../api/intent/intent.ts";
import type { ChangeCounters } from "../changes/port.ts";
import type { JobEvents } from "../events/notices.ts";
import type { LedgerState } from "../ledger/port.ts";

export interface Metrics extends ChangeCounters {
  /** Content type of the text. */
  readonly contentType: string;
  /** All metrics in the Prometheus text format. Never throws; unreadable gauges are omitted. */
  text(): Promise<string>;
  requestAnswered(request: AnsweredRequest): void;
  storeAnswered(call: StoreCall): void;
  /** A webhook delivery attempt has ended. */
  webhookAttempted(outcome: "delivered" | "failed" | "again"): void;
  /** A firing of a schedule has ended on this node. */
  scheduleFired(outcome: "submitted" | "done" | "missed" | "skipped" | "failed"): void;
  /** A schedule was stopped because its key is gone. */
  scheduleStopped(): void;
  /** A sync of an inventory source has ended on this node. */
  sourceSynced(status: "succeeded" | "failed"): void;
  /** Versions of configurations were deleted because of their age or number. */
  versionsPruned(count: number): void;
  /** The key for emergencies was used on this node. */
  breakGlassUsed(): void;
  /** Starts counting ended jobs. */
  watch(jobEvents: Pick<JobEvents, "onEveryEnd">): void;
  /** Registers gauges that are read at each scrape. */
  show(gauges: Gauges): void;
  /** Stops its own measurements. */
  stop(): void;
}

export interface AnsweredRequest {
  readonly method: string;
  /** The declared route, such as `/job/:name/events`; undefined if none matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

/** Queue state from the store. */
export interface NodeState {
  /** Age of the oldest waiting job. */
  readonly queueSeconds: number;
  readonly webhooks: number;
  /** Age of the oldest pending webhook. */
  readonly webhookSeconds: number;
}

/** The history of configurations, of all nodes. */
export interface HistoryState {
  readonly devices: number;
  readonly versions: number;
  readonly suspects: number;
  readonly unsaved: number;
  readonly failed: number;
  /** Undefined: no configuration was read yet. */
  readonly oldestGoodSeconds: number | undefined;
  /** The longest ago. */
  readonly oldest: readonly { readonly device: string; readonly seconds: number }[];
}

/** Pairs of a device and an intent. */
export interface DriftStanding {
  readonly states: ReadonlyMap<DriftState, number>;
  /** They drift after all rounds of fixes. */
  readonly needsPerson: number;
  /** Devices that are to be compared. */
  readonly due: number;
}

export interface StoreCall {
  readonly kind: "read" | "write";
  readonly seconds: number;
  readonly failed: boolean;
}

/** Current values. */
export interface Gauges {
  queuedJobs(): number;
  runningJobs(): number;
  keptSessions(): number;
  deviceThreads(): number;
  templateProcesses(): number;
  /** Whether submissions are accepted. */
  ready(): boolean;
  openDescriptors(): number | undefined;
  /** Free space on the disk of the data directory. */
  diskFreeBytes(): number | undefined;
  /** Undefined if the store does not answer. */
  standing(): Promise<NodeState | undefined>;
  /** Undefined if the store does not answer. */
  history(): Promise<HistoryState | undefined>;
  /** Changes that have not ended, by state; undefined if the store does not answer. */
  changes(): Promise<readonly { readonly state: ChangeState; readonly count: number }[] | undefined>;
  /** Pairs of a device and an intent; undefined if there are none, or the store does not answer. */
  drift(): Promise<DriftStanding | undefined>;
  /** Undefined if the store does not answer. */
  ledger(): Promise<LedgerState | undefined>;
  /** Trace spans sent and dropped. */
  spans(): { readonly sent: number; readonly dropped: number };
  /** Time of the newest scheduled backup in seconds since 1970; undefined if there is none. */
  newestBackup(): number | undefined;
  /** Whether the last scheduled backup failed; undefined if none are scheduled. */
  backupFailed(): boolean | undefined;
  /** Size of the database file; undefined for a server. */
  storeBytes(): number | undefined;
}
