/** The interface for importing and exporting the inventory in the formats of other tools. */

import type { OwnDevice, OwnGroup, UpsertAnswer, UpsertMode } from "../../api/inventory/inventory.ts";
import type { Caller } from "../../auth/port.ts";
import type { DeviceFilter, EffectiveDevice } from "../port.ts";

/** Column names for a text without a header. */
export interface ColumnOptions {
  readonly delimiter?: string | undefined;
  /** Comma-separated column names. */
  readonly map?: string | undefined;
}

export interface TextOptions extends ColumnOptions {
  readonly mode?: UpsertMode | undefined;
  readonly createGroups?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly maxChanges?: number | undefined;
  readonly maxRemovals?: number | undefined;
}

/** The parsed text: lists of entries as JSON text, so that they can be taken over one list at a time. */
export interface ReadText {
  readonly devices: readonly string[];
  readonly groups: readonly string[];
  readonly warnings: readonly string[];
}

/** Parses a text in a sandboxed process. @throws ServiceError Validation, PayloadTooLarge, TooManyRequests */
export type TextReader = (
  /** Without a format: entries that a source has fetched. */
  text: { readonly format?: string | undefined; readonly text: string } & ColumnOptions,
  caller: Pick<Caller, "keyId" | "person">,
  signal: AbortSignal,
) => Promise<ReadText>;

/** What is exported: devices and groups as written, and devices with inherited values. */
export interface Exported {
  readonly devices: readonly { readonly own: OwnDevice; readonly effective: EffectiveDevice }[];
  /** Parents before children. */
  readonly groups: readonly OwnGroup[];
}

/** The writer of a format. @throws ServiceError Validation: there is no such format */
export type TextWriter = (
  format: string,
) => Promise<(exported: Exported, options: ColumnOptions) => Iterable<string>>;

/** The formats of the loaded plugins. */
export interface Formats {
  readonly imports: readonly string[];
  readonly exports: readonly ExportFormat[];
}

export interface ExportFormat {
  readonly name: string;
  /** Media type and name of the file. */
  readonly type: string;
  readonly file: string;
}

export interface Imported {
  readonly answer: UpsertAnswer;
  /** What the import skipped. */
  readonly warnings: readonly string[];
}

export interface InventoryExchange {
  formats(): Formats;

  /** Atomic. @throws ServiceError as `Inventory.apply`, with issues by line; Forbidden */
  importText(
    format: string,
    text: string,
    options: TextOptions,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Imported>;

  /** Yields the part the caller may see. @throws ServiceError Validation: the format cannot represent it */
  exportText(
    format: string,
    filter: DeviceFilter,
    options: ColumnOptions,
    caller: Caller,
  ): Promise<AsyncGenerator<string>>;
}
