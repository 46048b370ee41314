/** Inventory devices and groups: schemas and limits. */
import * as v from "valibot";
import { members, sameMembers } from "../base/json/objects.ts";
import { windowText } from "./window.ts";

export const inventoryLimits = {
  devices: 100_000,
  groups: 10_000,
  /** Maximum JSON size of a device; a chassis has hundreds of interfaces. */
  entryBytes: 256 * 1024,
  /** Maximum JSON size of a group, which holds what many devices share. */
  groupBytes: 1024 * 1024,
  /** Maximum total JSON size. */
  totalBytes: 128 * 1024 * 1024,
  /** Maximum group depth. */
  depth: 32,
  tags: 20,
  windows: 50,
  /** Maximum nesting of `connection` and `vars`. */
  nesting: 16,
  /** Maximum entries and characters of a diff. */
  diff: 1_000,
  diffChars: 1024 * 1024,
} as const;

const namePattern = /^[A-Za-z0-9][\w.:-]{0,127}$/;
const nameText = v.pipe(
  v.string("must be a string"),
  v.regex(
    namePattern,
    "must begin with a letter or digit and be up to 128 letters, digits, `.`, `_`, `-` and `:`",
  ),
);
const plain = (most: number) =>
  v.pipe(
    v.string("must be a string"),
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
  /** The `device_type` or `platform` of drivers. */
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
  /** Credential reference: `{"name": "file", "ref": "lab"}`. */
  credential: field(members),
  /** Defaults for `connection_args`. */
  connection: field(members),
  /** Variables for templates, with the types and the order of keys that they were written with. */
  vars: field(sameMembers),
};

/** A device as written; absent and null fields are inherited from its groups. */
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
  /** Maintenance windows of the group. */
  window: field(
    v.pipe(
      v.array(windowText, "must be a list"),
      v.maxLength(inventoryLimits.windows, `must be at most ${inventoryLimits.windows} windows`),
    ),
  ),
};

export const writtenDevice = v.strictObject(deviceFields);
export const writtenGroup = v.strictObject(groupFields);

/** Read-only fields of records, ignored when a record is sent back. */
export const readOnlyFields = ["revision", "changed_at", "source", "from", "groups", "facts"] as const;

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], null | undefined> };
/** A stored device, without nulls. */
export type OwnDevice = { readonly name: string } & Present<
  Omit<v.InferOutput<typeof writtenDevice>, "name">
>;
export type OwnGroup = { readonly name: string } & Present<Omit<v.InferOutput<typeof writtenGroup>, "name">>;

export const entryKinds = ["device", "group"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** `merge` updates given fields; `replace` replaces entries; `mirror` also removes all others. */
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

/** Body of POST /inventory/device; entries are validated individually. */
export const upsertRequest = v.strictObject({
  devices: v.optional(v.nullable(v.array(v.unknown(), "must be a list"))),
  groups: v.optional(v.nullable(v.array(v.unknown(), "must be a list"))),
  mode: v.optional(v.picklist(upsertModes, `must be one of ${upsertModes.join(", ")}`), "merge"),
  /** Creates groups that entries name and that do not exist. */
  create_groups: v.optional(v.boolean("must be true or false"), false),
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

/** Result of an upsert or dry run. */
export interface UpsertAnswer {
  dry_run: boolean;
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  diff: InventoryChange[];
  diff_truncated: boolean;
  /** Inventory revision after the change. */
  revision: number;
}

/** API record of a device, as written or with inherited values. Times are ISO 8601. */
export type DeviceRecord = Record<string, unknown> & { name: string; revision: number; changed_at: string };
export type GroupRecord = DeviceRecord;

/** Case-insensitive key of a name. */
export function entryKey(name: string): string {
  return name.toLowerCase();
}
