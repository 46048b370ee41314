/** Requests kept for retries: without secrets as long as the job; the secrets only if the caller asked for it. */
import type { JobConditions, StoredJob } from "./jobs.ts";

type KeptColumns =
  | ("seq" | "id" | "bulkId" | "status" | "host" | "caller" | "driver" | "device" | "operation")
  | ("errorType" | "endedAt" | "label" | "ticket" | "tags");

export interface KeptJob extends Pick<StoredJob, KeptColumns> {
  /** JSON texts; null if nothing is kept. */
  readonly kept: string | null;
  readonly secrets: string | null;
  readonly asked: string | null;
  /** JSON text: the error of a failed configuration push. */
  readonly error: string | null;
}

export interface KeptRequests {
  /** Newest first. */
  jobs(conditions: JobConditions, limit: number): Promise<KeptJob[]>;

  /** JSON text of the part that the jobs of a bulk share. */
  ofBulk(bulkId: string): Promise<string | undefined>;

  /** From now on, deleted data is overwritten in the file (`secure_delete`). A libSQL server decides for itself. */
  overwriteErased(): Promise<void>;

  /**
   * Deletes the secrets of jobs that ended more than `keptMs` ago.
   * @returns how many; fewer than `retention.batch` means that none are left
   */
  eraseSecrets(keptMs: number): Promise<number>;
}
