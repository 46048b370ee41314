/** The ledger: entries that cover those before them, their keys, and signed checkpoints. */
import type { LedgerWork } from "../../api/ledger/ledger.ts";
import type { ConfigVersionRow } from "../tables/history.ts";
import type { LedgerCheckpointRow, LedgerRow } from "../tables/ledger.ts";

export type { LedgerWork } from "../../api/ledger/ledger.ts";

/** Work that may change a device: its entry is written by the transaction that ends its job. */
export interface SentWork {
  readonly kind: LedgerWork;
  /** Number of lines, without those beyond the bounds of a transcript. */
  readonly lines: number;
  /** Of its transcript. */
  readonly sha256: string;
  /** The stored credential that was used. */
  readonly credential?: string | undefined;
  readonly transfer?: { readonly local_path: string; readonly remote_path: string } | undefined;
  /** What the checks of a push led to. */
  readonly checks?: string | undefined;
}

/** `body`: the canonical JSON that was hashed. */
export type StoredLedgerEntry = LedgerRow;
export type StoredCheckpoint = LedgerCheckpointRow;

export interface LedgerConditions {
  /** In ms since 1970, inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  readonly beforeSeq?: number | undefined;
  readonly kind?: string | undefined;
  /** In lower case. */
  readonly device?: string | undefined;
  readonly job?: string | undefined;
  readonly ticket?: string | undefined;
  /** Its acts and its pushes. */
  readonly change?: string | undefined;
}

export interface SigningKey {
  /** Names the installation. */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A push that ended, by the position of its job. */
export interface EndedPush {
  readonly seq: number;
  readonly id: string;
  readonly hasEntry: boolean;
}

/** A version, with what explains it. */
export interface ExplainedVersion extends ConfigVersionRow {
  /** Name of the device as the inventory writes it, and its address. */
  readonly name: string;
  readonly host: string;
  /** When the device was last seen with the version before; null: there is none, and nothing to explain. */
  readonly unchangedUntil: number | null;
  /** Whether an entry is of the push that it was read after, or of one to the device since the version before. */
  readonly isExplained: boolean;
}

export interface Ledger {
  /** Newest first. */
  page(conditions: LedgerConditions, limit: number): Promise<StoredLedgerEntry[]>;

  /**
   * In order, from after `seq`. Damaged rows are left out.
   */
  after(seq: number, limit: number): Promise<StoredLedgerEntry[]>;

  /** The newest entry; undefined: there is none. */
  last(): Promise<StoredLedgerEntry | undefined>;

  /** Entries by kind, `after` exclusive, `upTo` inclusive. */
  counts(after: number, upTo: number): Promise<Readonly<Record<string, number>>>;

  /** The number of entries, including those that retention deleted. */
  total(): Promise<number>;

  /** Keys of macs by id; those of former master keys as well. */
  macKeys(): Promise<ReadonlyMap<string, Uint8Array>>;

  /** The key that signs; the given one becomes it if there is none. */
  signingKey(make: () => SigningKey): Promise<SigningKey>;

  /**
   * Keeps a checkpoint, unless there is one of that entry, with a notice for webhooks.
   * @returns whether it was added
   */
  addCheckpoint(checkpoint: Omit<StoredCheckpoint, "n">): Promise<boolean>;

  /**
   * Deletes a batch of checkpoints: of those before the newest `kept`, all but the last of each day, and all before the
   * one that the oldest entry follows. Those that have yet to be sent stay.
   * @returns how many
   */
  pruneCheckpoints(kept: number): Promise<number>;

  /** In order, of entries from `seq` on, inclusive. */
  checkpoints(seq: number, limit: number): Promise<StoredCheckpoint[]>;

  newestCheckpoint(): Promise<StoredCheckpoint | undefined>;

  /** Checkpoints that have yet to be sent somewhere, oldest first. */
  pendingCheckpoints(limit: number): Promise<StoredCheckpoint[]>;

  /** @param pending places that are left; null: none */
  setPending(n: number, pending: string | null): Promise<void>;

  /** Entries of acts by which pushes of these changes were agreed on, in order. */
  acts(changes: readonly string[]): Promise<StoredLedgerEntry[]>;

  /** Persons by their id, or by that of a key of theirs, as they are called now. */
  personsBehind(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>>;

  /** Hashes of the transcripts of these jobs, as they are stored now; null: it can no longer be decrypted. */
  sentHashes(jobIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;

  /** Pushes that ended and were sent, or may have been, in the order of their submission. */
  endedPushes(afterSeq: number, limit: number): Promise<EndedPush[]>;

  /** Good versions in the order they were read, without imported ones. */
  versions(afterN: number, limit: number): Promise<ExplainedVersion[]>;

  /** The same, newest first. */
  outside(
    conditions: {
      readonly since?: number | undefined;
      readonly until?: number | undefined;
      readonly beforeN?: number | undefined;
      readonly device?: string | undefined;
    },
    limit: number,
  ): Promise<ExplainedVersion[]>;

  /** Versions by the push that they were read after. */
  versionsAfter(jobIds: readonly string[]): Promise<ConfigVersionRow[]>;

  /**
   * Deletes a batch of entries up to one that a checkpoint covers; the first batch adds the entry that says so.
   * @returns how many
   */
  cut(upToSeq: number, detail: string): Promise<number>;

  /** The newest checkpoint of an entry older than this, in ms since 1970. */
  checkpointBefore(at: number): Promise<StoredCheckpoint | undefined>;
}
