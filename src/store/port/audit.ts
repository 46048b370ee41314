/** The audit trail: who did what to which device, with what outcome. It never contains a secret. */
import type { AuditRow } from "../tables/audit.ts";
import type { Opened } from "../tables/columns.ts";

/** Who acted: the caller of a request, the user of the command line, or the service itself. */
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
