/** The interface of the sources of the inventory: where devices come from by themselves. */
import type { Caller } from "../auth/port.ts";
import type { InventoryChange } from "../model/inventory.ts";
import type { SourceRecord, SourceRun, WrittenSource } from "../model/inventory-source.ts";
import type { Precondition } from "./port.ts";

/** What a sync did, or would do. */
export interface Synced {
  readonly run: SourceRun;
  /** The first of what changed. */
  readonly diff: readonly InventoryChange[];
  readonly diff_truncated: boolean;
  /** What was left out. */
  readonly warnings: readonly string[];
}

/** Gets the text of a source. @throws ServiceError what it failed with; Forbidden: an address or credential */
export type SourceFetcher = (
  source: WrittenSource,
  caller: Caller,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly warnings: readonly string[] }>;

/** By schedule: as its owner. @throws ServiceError as `Sources.sync` */
export type SyncSource = (name: string, by: Caller, signal?: AbortSignal) => Promise<Synced>;

/** A source as it was read, and the number that stands for how it was written: syncs of it do not change that. */
export interface ReadSource {
  readonly record: SourceRecord;
  readonly version: number;
}

/** All is for admin keys that may reach all hosts. */
export interface Sources {
  list(caller: Caller): Promise<SourceRecord[]>;
  /** @throws ServiceError NotFound */
  read(name: string, caller: Caller): Promise<ReadSource>;
  /** @param when a number is a `version`. @throws ServiceError Validation, Forbidden, PreconditionFailed */
  put(
    name: string,
    body: unknown,
    caller: Caller,
    when?: Precondition,
  ): Promise<ReadSource & { readonly added: boolean }>;
  /** What it has brought stays. @throws ServiceError NotFound, PreconditionFailed */
  remove(name: string, caller: Caller, when?: Precondition): Promise<void>;
  /**
   * Fetches, compares and applies; each run is kept, whatever came of it.
   * @throws ServiceError NotFound, InProgress, TooManyRequests, Validation (the text, or too many changes),
   * BusinessFailure (the source does not answer, or refuses)
   */
  sync(
    name: string,
    options: { readonly dryRun?: boolean; readonly signal?: AbortSignal },
    caller: Caller,
  ): Promise<Synced>;
  readonly syncSource: SyncSource;
}
