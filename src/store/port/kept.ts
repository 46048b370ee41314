/** What is kept of requests for retries: the request without its secrets as long as its job, its secrets only where told to. */
import type { JobStatus, OperationKind } from "../../model/job.ts";
import type { JobConditions } from "./jobs.ts";

export interface KeptJob {
  readonly seq: number;
  readonly id: string;
  readonly bulkId: string | null;
  readonly status: JobStatus;
  readonly host: string;
  readonly caller: string;
  readonly driver: string;
  readonly device: string | null;
  readonly operation: OperationKind;
  readonly errorType: string | null;
  readonly endedAt: number | null;
  readonly label: string | null;
  readonly ticket: string | null;
  /** JSON list of texts. */
  readonly tags: string | null;
  /** JSON texts; null where nothing is kept. */
  readonly kept: string | null;
  readonly secrets: string | null;
  readonly asked: string | null;
  /** Of a configuration that failed: why. JSON text. */
  readonly error: string | null;
}

export interface KeptRequests {
  /** Newest first. */
  jobs(conditions: JobConditions, limit: number): Promise<KeptJob[]>;

  /** What the jobs of a bulk share. JSON text. */
  ofBulk(bulkId: string): Promise<string | undefined>;

  /** What is erased from now on is overwritten in the file, not only given free. On a server it is that one's business. */
  overwriteErased(): Promise<void>;

  /** Erases the secrets of jobs that ended longer ago than that. @returns how many; fewer than `batch` of `retention`: nothing is left */
  eraseSecrets(keptMs: number): Promise<number>;
}
