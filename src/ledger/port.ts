/** The interface of the ledger to callers. */
import type { Body } from "../api/body.ts";
import type { ChangedOutside, LedgerRecord, LedgerVerdict, SignedCheckpoint } from "../api/ledger/ledger.ts";
import type { Caller } from "../auth/port.ts";

export interface LedgerFilter {
  readonly kind?: string | undefined;
  readonly device?: string | undefined;
  /** Name of the actor, or id of the key. */
  readonly actor?: string | undefined;
  readonly job?: string | undefined;
  readonly ticket?: string | undefined;
  /** Its id. */
  readonly change?: string | undefined;
  /** ISO 8601; inclusive. */
  readonly since?: string | undefined;
  /** Exclusive. */
  readonly until?: string | undefined;
}

export interface LedgerPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface PageOf {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** All methods need the scope `admin`. A key with limits sees what it did, and entries of hosts that it may reach. */
export interface Ledger {
  /** Newest first. @throws ServiceError Forbidden, BadRequest: the cursor is of another list */
  list(filter: LedgerFilter, caller: Caller, page: PageOf): Promise<LedgerPage<LedgerRecord>>;

  /** By its number. @throws ServiceError Forbidden, NotFound */
  entry(seq: number, caller: Caller): Promise<LedgerRecord>;

  /** Versions that no entry explains, newest first. @throws ServiceError Forbidden, BadRequest */
  outside(
    filter: Pick<LedgerFilter, "device" | "since" | "until">,
    caller: Caller,
    page: PageOf,
  ): Promise<LedgerPage<ChangedOutside>>;

  /**
   * The whole ledger as JSON lines: what it is, its checkpoints, its entries in order, and its end.
   * @throws ServiceError Forbidden: the key has limits
   */
  exported(caller: Caller, signal: AbortSignal): AsyncIterable<string>;

  /** The newest checkpoint. @throws ServiceError Forbidden, NotFound: there is none yet */
  checkpoint(caller: Caller): Promise<SignedCheckpoint>;

  /** Signs one now, unless the newest covers all entries. @throws ServiceError Forbidden */
  signNow(caller: Caller): Promise<SignedCheckpoint>;

  publicKey(caller: Caller): Promise<{ installation: string; algorithm: "Ed25519"; public_key: string }>;

  /**
   * Verifies a piece: entries in order, then pushes, then versions.
   * @throws ServiceError Forbidden, Validation, TooManyRequests: another verification runs
   */
  verify(body: Body, caller: Caller, signal: AbortSignal): Promise<LedgerVerdict>;
}

/** What a scrape shows, of all nodes. */
export interface LedgerState {
  /** Those that retention deleted count too. */
  readonly entries: number;
  /** For how long there have been entries that no checkpoint covers. */
  readonly uncoveredSeconds: number;
  /** Checkpoints that have not been sent everywhere. */
  readonly pending: number;
}

/** Signs checkpoints as time goes by, sends them elsewhere, and deletes old entries. */
export interface Checkpoints {
  start(): void;
  stop(): Promise<void>;
  state(): Promise<LedgerState>;
}

/** Where checkpoints are sent to; `ca`: file with the certificates to trust. */
export interface SyslogReceiver {
  readonly over: "udp" | "tcp" | "tls";
  readonly host: string;
  readonly port: number;
  readonly ca?: string | undefined;
}
