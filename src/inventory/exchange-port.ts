/** The interface of what comes and goes as text: imports and exports of the inventory in the formats of other tools. */
import type { Caller } from "../auth/port.ts";
import type { UpsertAnswer, UpsertMode } from "../model/inventory.ts";
import type { ImportFormat, InventoryExportFormat } from "../model/inventory-text.ts";
import type { DeviceFilter } from "./port.ts";

/** Columns of a text that has no header. */
export interface ColumnOptions {
  readonly delimiter?: string | undefined;
  /** Names of the columns, with commas between. */
  readonly map?: string | undefined;
}

export interface TextOptions extends ColumnOptions {
  readonly mode?: UpsertMode | undefined;
  readonly dryRun?: boolean | undefined;
  readonly maxChanges?: number | undefined;
  readonly maxRemovals?: number | undefined;
}

/** What a text was read as: lists of entries as JSON text, so that they are taken over one list after the other. */
export interface ReadText {
  readonly devices: readonly string[];
  readonly groups: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads a text where it can do no harm. @throws ServiceError Validation, PayloadTooLarge, TooManyRequests */
export type TextReader = (
  text: { readonly format: ImportFormat; readonly text: string } & ColumnOptions,
  caller: { readonly keyId: string },
  signal: AbortSignal,
) => Promise<ReadText>;

export interface Imported {
  readonly answer: UpsertAnswer;
  /** What was left out. */
  readonly warnings: readonly string[];
}

export interface InventoryExchange {
  /** All of the text or nothing. @throws ServiceError as `Inventory.apply`, with issues by line; Forbidden */
  importText(
    format: ImportFormat,
    text: string,
    options: TextOptions,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Imported>;

  /** What the caller sees, in pieces. @throws ServiceError Validation: the format can not hold it */
  exportText(
    format: InventoryExportFormat,
    filter: DeviceFilter,
    options: ColumnOptions,
    caller: Caller,
  ): Promise<AsyncGenerator<string>>;
}
