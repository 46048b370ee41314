/** What pushes sent and received: written with the end of the job, and kept as long as the audit trail. */

export interface NewTranscript {
  /** JSON text without secrets; encrypted by the store. */
  readonly content: string;
  readonly sha256: string;
}

export interface StoredTranscript {
  readonly jobId: string;
  /** When the job ended, in ms since 1970. */
  readonly at: number;
  readonly host: string;
  /** Id of the API key that submitted the job. */
  readonly caller: string;
  /** Null if it can no longer be decrypted. */
  readonly content: string | null;
}

export interface Transcripts {
  /** Also after its job was deleted. */
  find(jobId: string): Promise<StoredTranscript | undefined>;
}
