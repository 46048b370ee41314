/** The audit trail: who did what to which device, and what came of it. Never a secret. */

/** Who did it: the caller of a request, whoever sits at the command line, the service by itself. */
export interface Actor {
  readonly keyId: string;
  readonly name: string;
  /** Network address. */
  readonly from: string | null;
}

export interface NewAuditEntry {
  readonly caller: Actor;
  readonly action: string;
  readonly host?: string | null | undefined;
  readonly jobId?: string | null | undefined;
  readonly outcome: string;
  readonly detail?: string | null | undefined;
}

/** Times are milliseconds since 1970. */
export interface StoredAuditEntry {
  /** Grows with each entry. */
  readonly id: number;
  readonly at: number;
  readonly endedAt: number | null;
  readonly who: string;
  readonly from: string | null;
  readonly action: string;
  readonly host: string | null;
  readonly jobId: string | null;
  readonly outcome: string;
  readonly detail: string | null;
  /** JSON text: length, SHA-256 and first line of what was asked. */
  readonly asked: string | null;
}

/** Entries of jobs, keys and host keys are written by their own methods, in the transaction of the change itself. */
export interface Audit {
  /** An entry by itself: of what changes nothing in the store. */
  add(entry: NewAuditEntry): Promise<void>;

  /** Newest first. */
  page(
    conditions: { readonly since?: number | undefined; readonly beforeId?: number | undefined },
    limit: number,
  ): Promise<StoredAuditEntry[]>;
}
