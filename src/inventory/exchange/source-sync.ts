/** One sync of a source: fetch, parse, assign the group, apply. A refused sync reports what it would have changed. */

import type { UpsertAnswer } from "../../api/inventory/inventory.ts";
import { sourceLimits, type WrittenSource } from "../../api/inventory/inventory-source.ts";
import type { Holders } from "../../auth/holders.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { invalid } from "../../base/issues.ts";
import type { Inventory, InventoryDocument, Snapshot } from "../port.ts";
import { documentOf, type PlacedDocument } from "./document-text.ts";
import type { TextReader } from "./port.ts";
import type { BringFiles, SourceFetcher } from "./sources-port.ts";

export interface SyncTools {
  readonly holders: Pick<Holders, "byId">;
  readonly inventory: Pick<Inventory, "snapshot" | "apply">;
  readonly fetch: SourceFetcher;
  readonly bring: BringFiles;
  readonly read: TextReader;
}

export interface SyncRequest {
  readonly name: string;
  readonly source: WrittenSource;
  readonly dryRun: boolean;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly dryRun: boolean;
  /** The changes made; of a refused sync those it would have made. */
  readonly answer?: Pick<UpsertAnswer, "added" | "changed" | "removed" | "unchanged"> &
    Partial<Pick<UpsertAnswer, "diff" | "diff_truncated">>;
  readonly failure?: ServiceError;
  readonly warnings: readonly string[];
}

export async function syncOnce(request: SyncRequest, tools: SyncTools): Promise<Outcome> {
  const { name, source, dryRun, caller, signal } = request;
  const { inventory } = tools;
  let warnings: readonly string[] = [];
  try {
    if (source.brings === "templates" || source.brings === "recipes")
      return await filesOnce(request, source.brings, tools);
    const { placed, warnings: documentWarnings } = await documentFrom(request, tools);
    warnings = documentWarnings;
    const snapshot = await inventory.snapshot();
    const document = inGroup(placed.document, source.group ?? undefined, snapshot);
    requireSome(source, document);
    const { mode, max_changes: maxChanges } = source;
    const usual = source.max_removals ?? undefined;
    const maxRemovals = usual ?? (mode === "mirror" ? usualRemovals(name, snapshot) : undefined);
    const options = { mode, source: name, place: placed.place, maxChanges, maxRemovals };
    const answer = await inventory.apply(document, { ...options, dryRun: true }, caller);
    const refused = usual === undefined ? tooManyRemoved(answer.removed, maxRemovals) : [];
    if (dryRun) return { dryRun, answer, warnings: [...warnings, ...refused] };
    if (refused.length > 0)
      return { dryRun, answer, failure: invalid("max_removals", refused.join()), warnings };
    if (signal.aborted) return { dryRun, answer, failure: calledOff(), warnings };
    await requireInForce(tools, caller);
    try {
      return { dryRun, answer: await inventory.apply(document, options, caller), warnings };
    } catch (error) {
      return { dryRun, answer, failure: serviceError(error), warnings };
    }
  } catch (error) {
    return { dryRun, failure: serviceError(error), warnings };
  }
}

async function filesOnce(
  { name, source, dryRun, caller, signal }: SyncRequest,
  what: "templates" | "recipes",
  tools: SyncTools,
): Promise<Outcome> {
  const { files = [], revision, warnings } = await tools.fetch(source, caller, signal);
  if (signal.aborted) return { dryRun, failure: calledOff(), warnings };
  await requireInForce(tools, caller);
  const brought = { what, files, revision, source: name, removes: source.mode === "mirror", dryRun };
  return { dryRun, answer: await tools.bring(brought, caller, signal), warnings };
}

async function documentFrom(
  { source, caller, signal }: SyncRequest,
  { fetch, read }: SyncTools,
): Promise<{ placed: PlacedDocument; warnings: readonly string[] }> {
  const fetched = await fetch(source, caller, signal);
  const format = fetched.areEntries ? undefined : (source.format ?? undefined);
  const { delimiter, map } = source;
  const columns = { delimiter: delimiter ?? undefined, map: map ?? undefined };
  const inventory = await read({ format, text: fetched.text, ...columns }, caller, signal);
  const placed = await documentOf(inventory);
  return { placed: named(placed), warnings: [...fetched.warnings, ...inventory.warnings] };
}

/** Adds the entry name to places: a line number of a fetched text alone says little. */
function named({ document, place }: PlacedDocument): PlacedDocument {
  return {
    document,
    place: (kind, index) => {
      const list = kind === "device" ? document.devices : document.groups;
      const entry = list?.[index];
      const name = typeof entry === "object" && entry !== null && "name" in entry ? String(entry.name) : "";
      return `${place(kind, index)} (${name.slice(0, 128)})`;
    },
  };
}

/** Puts devices without a group into the group of the source, which is created if needed. */
function inGroup(
  document: InventoryDocument,
  group: string | undefined,
  snapshot: Snapshot,
): InventoryDocument {
  if (group === undefined) return document;
  const devices = (document.devices ?? []).map((device) =>
    typeof device === "object" && device !== null && !("group" in device && device.group)
      ? { ...device, group }
      : device,
  );
  const { groups } = document;
  const before = snapshot.ownGroup(group);
  if (groups?.some((candidate) => isNamed(candidate, group)) || (groups === undefined && before))
    return { ...document, devices };
  // Unchanged: a mirror would remove a group that the list does not have.
  return { devices, groups: [before?.own ?? { name: group }, ...(groups ?? [])] };
}

function isNamed(entry: unknown, name: string): boolean {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "name" in entry &&
    String(entry.name).toLowerCase() === name.toLowerCase()
  );
}

/** Refuses an empty mirror: it looks like a broken source. @throws ServiceError Validation */
function requireSome({ mode, max_removals }: WrittenSource, { devices }: InventoryDocument): void {
  if (mode !== "mirror" || typeof max_removals === "number" || (devices ?? []).length > 0) return;
  const message =
    "the source returned no devices, and a mirror would remove all of its devices: set max_removals to allow that";
  throw invalid("max_removals", message);
}

/** A source that lost a part of its devices, or sent a part of its list, looks like one that removed them. */
function usualRemovals(name: string, snapshot: Snapshot): number {
  const brought = snapshot.all().filter((device) => snapshot.ownDevice(device.name)?.source === name).length;
  return Math.max(sourceLimits.removedLeast, Math.floor(brought * sourceLimits.removedShare));
}

/** @returns a sentence if they are too many */
function tooManyRemoved(removed: number, most: number | undefined): string[] {
  if (most === undefined || removed <= most) return [];
  const share = `${sourceLimits.removedShare * 100} % of the devices it brought, at least ${sourceLimits.removedLeast}`;
  return [
    `${removed} would be removed, more than ${most} (${share}). Nothing was changed: set max_removals to allow it`,
  ];
}

/** The source may have taken minutes. @throws ServiceError Forbidden */
async function requireInForce({ holders }: SyncTools, { keyId }: Caller): Promise<void> {
  const holder = await holders.byId(keyId);
  if (holder === undefined || holder.state === "in_force") return;
  throw new ServiceError(
    "Forbidden",
    "The API key was revoked or has expired during the sync: nothing was changed.",
  );
}

function calledOff(): ServiceError {
  return new ServiceError("Cancelled", "The sync was cancelled: nothing was changed.");
}

function serviceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { kind, message, detail } = toErrorData(error);
  return new ServiceError(kind, message, detail, { cause: error });
}
