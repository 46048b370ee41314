/** OpenAPI description of the inventory. */
import * as v from "valibot";
import { factNames } from "../api/facts.ts";
import {
  deviceFields,
  entryKinds,
  groupFields,
  type InventoryChange,
  type UpsertAnswer,
  upsertRequest,
  writtenDevice,
  writtenGroup,
} from "../api/inventory.ts";
import { discoverRequest } from "../api/request.ts";
import {
  anyObject,
  boolean,
  integer,
  listOf,
  moment,
  orNull,
  record,
  refTo,
  text,
  texts,
} from "./openapi-schema.ts";
import { deviceListQuery, entryQuery, groupListQuery } from "./query.ts";

/** Entries are validated one by one at run time; this is their schema for the document. */
const upsertBody = v.strictObject({
  ...upsertRequest.entries,
  devices: v.optional(v.nullable(v.array(writtenDevice))),
  groups: v.optional(v.nullable(v.array(writtenGroup))),
});
const { name: _device, ...deviceRest } = deviceFields;
const { name: _group, ...groupRest } = groupFields;
const putDevice = v.strictObject({ name: v.optional(deviceFields.name), ...deviceRest });
const putGroup = v.strictObject({ name: v.optional(groupFields.name), ...groupRest });

const common = {
  name: text,
  port: orNull(integer),
  platform: orNull(text),
  driver: orNull(text),
  site: orNull(text),
  role: orNull(text),
  tags: texts,
  credential: orNull(anyObject),
  connection: anyObject,
  vars: anyObject,
  window: orNull(texts),
  groups: { ...texts, description: "Its group and that group's ancestors, nearest first" },
  source: { ...orNull(text), description: "The source that owns it; null: written by a caller" },
  revision: { ...integer, description: "Inventory revision of its last change: its ETag" },
  changed_at: moment,
};
const requiredFields = ["name", "source", "revision", "changed_at"];

export const inventorySchemas = {
  Device: {
    type: "object",
    description: "With inherited values; with `effective=false` as written",
    required: requiredFields,
    properties: {
      ...common,
      host: text,
      group: orNull(text),
      enabled: boolean,
      facts: {
        ...orNull(refTo("DeviceFacts")),
        description: "Discovered facts; null: none",
      },
      from: { ...anyObject, description: 'Origin of each value: `{"port": "group:core"}`' },
    },
  },
  DeviceFacts: {
    type: "object",
    description: "Facts reported by the device or observed by jobs; null: unknown",
    properties: {
      ...Object.fromEntries(factNames.map((name) => [name, orNull(text)])),
      platform: { ...orNull(text), description: "The detected platform" },
      discovered_at: orNull(moment),
      seen_at: { ...orNull(moment), description: "When the device last answered a job" },
      login_failed_at: orNull(moment),
      login_error: { ...orNull(text), description: "Type of the login error" },
      host_key: { ...orNull(text), description: "Type and fingerprint of the learned host key" },
    },
  },
  Group: {
    type: "object",
    description: "With inherited values; with `effective=false` as written",
    required: requiredFields,
    properties: { ...common, parent: orNull(text), description: orNull(text) },
  },
  InventoryChange: record<InventoryChange>({
    kind: { type: "string", enum: entryKinds },
    name: text,
    change: { type: "string", enum: ["added", "changed", "removed"] },
    fields: {
      type: "object",
      additionalProperties: { type: "object", required: ["from", "to"], properties: { from: {}, to: {} } },
    },
  }),
  UpsertAnswer: record<UpsertAnswer>({
    dry_run: boolean,
    added: integer,
    changed: integer,
    removed: integer,
    unchanged: integer,
    diff: { ...listOf(refTo("InventoryChange")), description: "The first 1,000" },
    diff_truncated: boolean,
    revision: { ...integer, description: "Inventory revision after the change" },
  }),
};

const withBody = ["400", "413", "415", "422"] as const;
const gives = {
  "X-Next-Cursor": "Cursor of the next page; absent on the last",
  "X-Total-Count": "Total number of entries",
};
const inUse = ["404", "409", "412"] as const;
const etag = { ETag: "Its revision, for `If-Match`" };

export const inventoryPaths = {
  "/inventory/device": {
    get: {
      summary: "List devices by name",
      data: listOf(refTo("Device")),
      query: deviceListQuery,
      gives,
      fails: ["400"],
    },
    post: {
      summary: "Add, change and remove many devices and groups in one transaction, or preview the changes",
      data: refTo("UpsertAnswer"),
      body: upsertBody,
      fails: withBody,
    },
  },
  "/inventory/discover": {
    post: {
      summary: "Discover what devices are, one job per device, and store the facts in the inventory",
      data: refTo("BulkAnswer"),
      body: discoverRequest,
      headers: ["Prefer", "Idempotency-Key"],
      gives: { "Preference-Applied": "The wait that was applied" },
      fails: [...withBody, "409"],
    },
  },
  "/inventory/device/{name}": entryPaths("device", "Device", putDevice),
  "/inventory/group": {
    get: {
      summary: "List groups by name",
      data: listOf(refTo("Group")),
      query: groupListQuery,
      gives,
      fails: ["400"],
    },
  },
  "/inventory/group/{name}": entryPaths("group", "Group", putGroup),
} as const;

function entryPaths(kind: string, schema: string, body: v.GenericSchema) {
  const path = `Name of the ${kind}`;
  const common = { path, data: refTo(schema), gives: etag };
  return {
    get: { summary: `Read a ${kind}`, query: entryQuery, fails: ["404"], ...common },
    put: {
      summary: `Create (201) or replace (200) a ${kind}`,
      body,
      headers: ["If-Match", "If-None-Match"],
      created: true,
      fails: [...withBody, "412"],
      ...common,
    },
    patch: {
      summary: `Change fields of a ${kind}: a JSON merge patch`,
      body,
      headers: ["If-Match"],
      fails: [...withBody, "404", "412"],
      ...common,
    },
    delete: {
      summary: `Remove a ${kind}`,
      path,
      data: text,
      headers: ["If-Match"],
      fails: kind === "group" ? inUse : (["404", "412"] as const),
    },
  } as const;
}
