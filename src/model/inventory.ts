/** Devices and groups of the inventory as callers write and read them, with what each may hold. */
import * as v from "valibot";
import { members } from "../base/objects.ts";
import { windowText } from "./window.ts";

export const inventoryLimits = {
  devices: 100_000,
  groups: 10_000,
  /** Of one device or group, as JSON. */
  entryBytes: 64 * 1024,
  /** Of all of them together. */
  totalBytes: 128 * 1024 * 1024,
  /** How many groups may stand above one another. */
  depth: 32,
  tags: 20,
  windows: 50,
  /** Objects within objects of `connection` and `vars`. */
  nesting: 16,
  /** Entries of a diff that are told, and their text. */
  diff: 1_000,
  diffChars: 1024 * 1024,
} as const;

const namePattern = /^[A-Za-z0-9][\w.:-]{0,127}$/;
const nameText = v.pipe(
  v.string("must be a text"),
  v.regex(
    namePattern,
    "must begin with a letter or digit and be up to 128 letters, digits, `.`, `_`, `-` and `:`",
  ),
);
const plain = (most: number) =>
  v.pipe(
    v.string("must be a text"),
    v.nonEmpty("must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\0-\x1f\x7f]*$/, "must not hold control characters"),
    v.check((text) => text.isWellFormed(), "must be valid Unicode text"),
  );
const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

const inherited = {
  port: field(
    v.pipe(
      v.number("must be a number"),
      v.integer("must be a whole number"),
      v.minValue(1, "must be at least 1"),
      v.maxValue(65_535, "must be at most 65535"),
    ),
  ),
  /** What the driver calls `device_type`, `platform`, …. */
  platform: field(plain(128)),
  driver: field(plain(128)),
  site: field(plain(128)),
  role: field(plain(128)),
  tags: field(
    v.pipe(
      v.array(plain(64), "must be a list"),
      v.maxLength(inventoryLimits.tags, `must be at most ${inventoryLimits.tags} tags`),
    ),
  ),
  /** What stands in for passwords: `{"name": "file", "ref": "lab"}`. */
  credential: field(members),
  /** Fields of `connection_args` that requests need not give. */
  connection: field(members),
  /** For templates. */
  vars: field(members),
};

/** A device as it is written; what is absent or null comes from its groups. */
export const deviceFields = {
  name: nameText,
  host: field(plain(253)),
  ...inherited,
  group: field(nameText),
  enabled: field(v.boolean("must be true or false")),
};

export const groupFields = {
  name: nameText,
  parent: field(nameText),
  description: field(plain(1_000)),
  ...inherited,
  /** When devices of the group may be configured. */
  window: field(
    v.pipe(
      v.array(windowText, "must be a list"),
      v.maxLength(inventoryLimits.windows, `must be at most ${inventoryLimits.windows} windows`),
    ),
  ),
};

export const writtenDevice = v.strictObject(deviceFields);
export const writtenGroup = v.strictObject(groupFields);

/** What an answer shows besides; it is left out again where a record is sent back. */
export const readOnlyFields = ["revision", "changed_at", "source", "from", "groups", "facts"] as const;

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], null | undefined> };
/** Of a device as it is kept: nothing is null. */
export type OwnDevice = { readonly name: string } & Present<
  Omit<v.InferOutput<typeof writtenDevice>, "name">
>;
export type OwnGroup = { readonly name: string } & Present<Omit<v.InferOutput<typeof writtenGroup>, "name">>;

export const entryKinds = ["device", "group"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** `merge`: fields that are given replace; `replace`: whole devices and groups; `mirror`: and others are removed. */
export const upsertModes = ["merge", "replace", "mirror"] as const;
export type UpsertMode = (typeof upsertModes)[number];

const limit = v.optional(
  v.nullable(
    v.pipe(
      v.number("must be a number"),
      v.integer("must be a whole number"),
      v.minValue(0, "must be at least 0"),
    ),
  ),
);

/** Body of POST /inventory/device; its entries are checked one by one. */
export const upsertRequest = v.strictObject({
  devices: v.optional(v.nullable(v.array(v.unknown(), "must be a list"))),
  groups: v.optional(v.nullable(v.array(v.unknown(), "must be a list"))),
  mode: v.optional(v.picklist(upsertModes, `must be one of ${upsertModes.join(", ")}`), "merge"),
  dry_run: v.optional(v.boolean("must be true or false"), false),
  max_changes: limit,
  max_removals: limit,
});

/** One entry of a diff. */
export interface InventoryChange {
  kind: EntryKind;
  name: string;
  change: "added" | "changed" | "removed";
  fields: Record<string, { from: unknown; to: unknown }>;
}

/** What an upsert did, or would do. */
export interface UpsertAnswer {
  dry_run: boolean;
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  diff: InventoryChange[];
  diff_truncated: boolean;
  /** Of the inventory, behind it. */
  revision: number;
}

/** A device as the API shows it, as it was written or with what it inherits. Times are ISO 8601. */
export type DeviceRecord = Record<string, unknown> & { name: string; revision: number; changed_at: string };
export type GroupRecord = DeviceRecord;

/** Names are compared without regard to case. */
export function entryKey(name: string): string {
  return name.toLowerCase();
}
