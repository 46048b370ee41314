/** OpenAPI description of imports, exports and sources of the inventory. */

import {
  runStates,
  type SourceRun,
  sourceKinds,
  sourceModes,
  writtenSource,
} from "../api/inventory-source.ts";
import type { Synced } from "../inventory/sources-port.ts";
import {
  anyObject,
  boolean,
  bytes,
  integer,
  listOf,
  moment,
  orNull,
  record,
  refTo,
  text,
  texts,
} from "./openapi-schema.ts";
import { importQuery, inventoryExportQuery, syncQuery } from "./query-exchange.ts";

const sourcePath = "Name of the source";
const sourceEtag = { ETag: "Revision of the definition, for `If-Match`" };
const textWarnings = { warnings: { ...texts, description: "Entries and values that were left out." } };

export const inventoryExchangePaths = {
  "/inventory/import": {
    post: {
      summary: "Import devices and groups in a format of another tool, atomically",
      data: refTo("UpsertAnswer"),
      query: importQuery,
      beside: textWarnings,
      text: true,
      fails: ["400", "413", "415", "422"],
    },
  },
  "/inventory/export": {
    get: {
      summary: "Export devices and groups in a format of another tool",
      data: { ...bytes, description: "In the requested `format`" },
      stream: ["text/csv", "application/yaml", "application/json", "text/plain"],
      query: inventoryExportQuery,
      fails: ["422"],
    },
  },
  "/inventory/source": {
    get: { summary: "List sources of the inventory", data: listOf(refTo("Source")) },
  },
  "/inventory/source/{name}": {
    get: {
      summary: "Read a source, with its last runs",
      data: refTo("Source"),
      gives: sourceEtag,
      path: sourcePath,
      fails: ["404"],
    },
    put: {
      summary: "Create (201) or replace (200) a source",
      data: refTo("Source"),
      gives: sourceEtag,
      body: writtenSource,
      headers: ["If-Match", "If-None-Match"],
      path: sourcePath,
      created: true,
      fails: ["400", "412", "413", "415", "422"],
    },
    delete: {
      summary: "Remove a source; its devices stay",
      data: { type: "object", required: ["name"], properties: { name: text } },
      headers: ["If-Match"],
      path: sourcePath,
      fails: ["404", "412"],
    },
  },
  "/inventory/source/{name}/sync": {
    post: {
      summary: "Sync a source, or preview the changes",
      data: refTo("Sync"),
      beside: textWarnings,
      query: syncQuery,
      path: sourcePath,
      refusable: true,
      fails: ["404", "409", "413", "422"],
    },
  },
} as const;

const count = orNull(integer);
const run = {
  status: { type: "string", enum: runStates },
  started_at: moment,
  ended_at: moment,
  by: { ...text, description: "Name of the key" },
  dry_run: boolean,
  added: {
    ...count,
    description: "Number of added devices and groups; of a failed run, those it would have added, if known",
  },
  changed: count,
  removed: count,
  unchanged: count,
  error: { ...orNull(text), description: "Reason of the failure" },
};

export const sourceSchemas = {
  SourceRun: record<SourceRun>(run),
  Source: {
    type: "object",
    description: "As written, with its last runs",
    required: ["name", "kind", "url", "mode", "verify", "changed_at", "runs"],
    properties: {
      name: text,
      kind: { type: "string", enum: sourceKinds },
      url: text,
      ...{ format: text, delimiter: text, map: text, filter: text, object: text, path: text, ref: text },
      ...{ credential: anyObject, group: text, max_changes: integer, max_removals: integer },
      mode: { type: "string", enum: sourceModes },
      verify: boolean,
      changed_at: moment,
      runs: { ...listOf(refTo("SourceRun")), description: "Newest first" },
    },
  },
  Sync: record<SourceRun & Pick<Synced, "diff" | "diff_truncated">>({
    ...run,
    diff: { ...listOf(refTo("InventoryChange")), description: "The first 1,000" },
    diff_truncated: boolean,
  }),
};
