/** The interface of rehearsals, and of the record of lines that they are graded by. */
import type { NotAskedReason } from "../api/rehearsal/not-asked.ts";
import type { EvidenceAnswer, EvidenceRecord, Rehearsal } from "../api/rehearsal/rehearsal.ts";
import type { Caller } from "../auth/port.ts";
import type { Deadline } from "../base/time/deadline.ts";
import type { NativeCheck } from "./grade.ts";

export type { NativeCheck } from "./grade.ts";

export interface Unasked {
  readonly because: NotAskedReason;
  /** Of the device, or of what lies before it, with secrets as they are. */
  readonly words?: string | undefined;
}

export interface AskedRehearsal {
  /** Name of the inventory device; null: none. */
  readonly device: string | null;
  readonly host: string;
  /** Host of the last jump host, which the device sees in place of ours. */
  readonly via: string | undefined;
  readonly platform: string | null;
  readonly driver: string;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** The lines restore a version: they come from the history, with its marks in place of secrets. */
  readonly isMasked?: boolean | undefined;
  /** Whether the answer may have texts of configurations, and whether it may tell that a secret is the same. */
  readonly shows: boolean;
  readonly comparesSecrets: boolean;
  /** The plan that the lines are of, and the job that keeps what is said. */
  readonly change?: { readonly id: string; readonly hash: string; readonly jobId: string } | undefined;
  /** What the device itself said of the lines, or why it was not asked or did not take them. */
  readonly native: NativeCheck | Unasked;
  /** A push of such lines ends with a commit. */
  readonly commits: boolean;
}

export interface Rehearsals {
  /** @throws ServiceError ReadTimeout, TooManyRequests, Unavailable, the reason of the deadline */
  rehearse(
    asked: AskedRehearsal,
    of: { readonly share: string; readonly job: boolean; readonly deadline: Deadline },
  ): Promise<Rehearsal>;
}

/** What a push has taught. */
export interface PushedLines {
  readonly platform: string | null;
  /** To find the version of the device by. */
  readonly host: string;
  /** Those that were accepted. */
  readonly lines: readonly string[];
  /** The line behind them, which was refused. */
  readonly refused?: { readonly line: string; readonly words: string } | undefined;
}

/** What devices answered to lines. */
export interface LineRecord {
  /** Kept in memory until the next flush; cheap. */
  pushed(lines: PushedLines): void;
  /** Never rejects. */
  flush(): Promise<void>;
  page(
    filter: { readonly platform?: string | undefined },
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: EvidenceRecord[]; readonly next: string | undefined }>;
  /** Adds what another site has seen. Scope `admin`. @throws ServiceError Validation */
  add(body: unknown, caller: Caller): Promise<EvidenceAnswer>;
}
