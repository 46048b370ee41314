/** The interface for importing and exporting the inventory in the formats of other tools. */

import type { UpsertAnswer, UpsertMode } from "../api/inventory.ts";
import type { ImportFormat, InventoryExportFormat } from "../api/inventory-text.ts";
import type { Caller } from "../auth/port.ts";
import type { DeviceFilter } from "./port.ts";

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
  text: { readonly format: ImportFormat; readonly text: string } & ColumnOptions,
  caller: { readonly keyId: string },
  signal: AbortSignal,
) => Promise<ReadText>;

export interface Imported {
  readonly answer: UpsertAnswer;
  /** What the import skipped. */
  readonly warnings: readonly string[];
}

export interface InventoryExchange {
  /** Atomic. @throws ServiceError as `Inventory.apply`, with issues by line; Forbidden */
  importText(
    format: ImportFormat,
    text: string,
    options: TextOptions,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Imported>;

  /** Yields the part the caller may see. @throws ServiceError Validation: the format cannot represent it */
  exportText(
    format: InventoryExportFormat,
    filter: DeviceFilter,
    options: ColumnOptions,
    caller: Caller,
  ): Promise<AsyncGenerator<string>>;
}
