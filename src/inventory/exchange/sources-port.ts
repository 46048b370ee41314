/** The interface of inventory sources, from which devices are imported automatically. */

import type { WriterFilter } from "../../api/filters.ts";
import type { InventoryChange, UpsertAnswer } from "../../api/inventory/inventory.ts";
import type {
  SourceRecord,
  SourceRun,
  WrittenSource,
  WrittenSourceSchema,
} from "../../api/inventory/inventory-source.ts";
import type { Caller } from "../../auth/port.ts";
import type { Issue } from "../../base/issues.ts";
import type { Precondition } from "../port.ts";

/** The result of a sync, or of a dry run. */
export interface Synced {
  readonly run: SourceRun;
  /** The first changes. */
  readonly diff: readonly InventoryChange[];
  readonly diff_truncated: boolean;
  /** What was skipped. */
  readonly warnings: readonly string[];
}

export interface BroughtFile {
  /** With its folders. */
  readonly name: string;
  readonly text: string;
}

/** Files of a source that brings no devices. */
export interface Brought {
  readonly what: "templates" | "recipes";
  readonly files: readonly BroughtFile[];
  readonly revision: string | undefined;
  readonly source: string;
  /** What it has brought before, and has no more, goes. */
  readonly removes: boolean;
  readonly dryRun: boolean;
}

/** Writes what a source brings, all of it or nothing. @throws ServiceError Validation: each fault of each file */
export type BringFiles = (
  brought: Brought,
  caller: Caller,
  signal: AbortSignal,
) => Promise<Pick<UpsertAnswer, "added" | "changed" | "removed" | "unchanged">>;

/** Fetches the text of a source. @throws ServiceError the failure; Forbidden: an address or credential */
export type SourceFetcher = (
  source: WrittenSource,
  caller: Caller,
  signal: AbortSignal,
) => Promise<{
  readonly text: string;
  /** The text holds entries, in no format. */
  readonly areEntries?: true;
  /** Of one that brings files, and what it was when it was read. */
  readonly files?: readonly BroughtFile[];
  readonly revision?: string;
  readonly warnings: readonly string[];
}>;

/** The kinds of sources of the loaded plugins. */
export interface SourceKinds {
  written(): WrittenSourceSchema;
  /** Faults that the plugin of a kind finds in its own fields. */
  issues(kind: string, options: Readonly<Record<string, unknown>>): Promise<readonly Issue[]>;
}

/** Runs a scheduled sync as the owner of the schedule. @throws ServiceError as `Sources.sync` */
export type SyncSource = (name: string, by: Caller, signal?: AbortSignal) => Promise<Synced>;

/** A source, with a version of its definition that syncs do not change. */
export interface ReadSource {
  readonly record: SourceRecord;
  readonly version: number;
}

/** All methods need scope `admin` and a key without host limits. */
export interface Sources {
  list(caller: Caller, filter?: WriterFilter): Promise<SourceRecord[]>;
  /** @throws ServiceError NotFound */
  read(name: string, caller: Caller): Promise<ReadSource>;
  /** @param when a number is a `version`. @throws ServiceError Validation, Forbidden, PreconditionFailed */
  put(
    name: string,
    body: unknown,
    caller: Caller,
    when?: Precondition,
  ): Promise<ReadSource & { readonly added: boolean }>;
  /** Its devices stay. @throws ServiceError NotFound, PreconditionFailed */
  remove(name: string, caller: Caller, when?: Precondition): Promise<void>;
  /**
   * Fetches, compares and applies. Every run is recorded, successful or not.
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
