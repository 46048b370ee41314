/** What pushes sent and received: written with the end of the job, and kept as long as the audit trail. */
import type { TranscriptRow } from "../tables/audit.ts";

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

export interface Transcripts {
  /** Also after its job was deleted. */
  find(jobId: string): Promise<StoredTranscript | undefined>;
}
