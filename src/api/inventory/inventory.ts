/** Inventory devices and groups: schemas and limits. */
import * as v from "valibot";
import { members, sameMembers } from "../../base/json/objects.ts";
import { thousands } from "../../base/text/thousands.ts";
import { changePolicy } from "../changes/change-policy.ts";
import { plainText, port } from "../forms.ts";
import { described, field, integer, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { windowText } from "../window.ts";
import { factsRecord } from "./facts.ts";

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
    plainText(most),
    v.check((text) => text.isWellFormed(), "must be valid Unicode text"),
  );

const inherited = {
  port: field(described(port, "Port to connect to")),
  platform: field(described(plain(128), "Platform, which drivers call `device_type`, `platform` or similar")),
  driver: field(described(plain(128), "Name of a driver")),
  site: field(described(plain(128), "Location of the device")),
  role: field(described(plain(128), "Purpose of the device")),
  tags: field(
    described(
      v.pipe(
        v.array(plain(64), "must be a list"),
        v.maxLength(inventoryLimits.tags, `must be at most ${inventoryLimits.tags} tags`),
      ),
      "Tags to select by",
    ),
  ),
  credential: field(
    described(
      members,
      'Reference to a credential that supplies the secrets: `{"name": "file", "ref": "lab"}`',
    ),
  ),
  connection: field(described(members, "Further fields of `connection_args`, without secrets")),
  /** With the types and the order of keys that they were written with. */
  vars: field(described(sameMembers, "Variables of templates, without secrets")),
};

/** A device as written; absent and null fields are inherited from its groups. */
export const deviceFields = {
  name: described(nameText, "Name of the device"),
  host: field(described(plain(253), "Name or address to connect to; default the name")),
  ...inherited,
  group: field(described(nameText, "Group of the device")),
  enabled: field(
    described(
      v.boolean("must be true or false"),
      "`false`: selectors skip the device unless they select disabled ones",
    ),
  ),
};

export const groupFields = {
  name: described(nameText, "Name of the group"),
  parent: field(described(nameText, "Parent group")),
  description: field(described(plain(1_000), "Free text")),
  ...inherited,
  window: field(
    described(
      v.pipe(
        v.array(windowText, "must be a list"),
        v.maxLength(inventoryLimits.windows, `must be at most ${inventoryLimits.windows} windows`),
      ),
      "Maintenance windows for pushes: `Mon-Fri 22:00-05:00 Europe/Berlin`",
    ),
  ),
  change: field(described(changePolicy, "What changes to its devices need")),
};

export const writtenDevice = v.strictObject(deviceFields);
export const writtenGroup = v.strictObject(groupFields);

/** Bodies of PUT and PATCH: the path has the name. */
export const putDevice = v.strictObject({ ...deviceFields, name: v.optional(deviceFields.name) });
export const putGroup = v.strictObject({ ...groupFields, name: v.optional(groupFields.name) });

/** Read-only fields of records, ignored when a record is sent back. */
export const readOnlyFields = [
  "revision",
  "changed_at",
  "source",
  "from",
  "groups",
  "facts",
  "device_count",
] as const;

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

/** A number of changes that is not to be passed. */
export const changeLimit = (description: string) =>
  v.optional(
    v.nullable(
      described(
        v.pipe(
          v.number("must be a number"),
          v.integer("must be a whole number"),
          v.minValue(0, "must be at least 0"),
        ),
        description,
      ),
    ),
  );
const truth = v.boolean("must be true or false");

/** What the body, the query of an import and a source have in common. */
export const upsertWords = {
  mode: "`merge`: given fields are replaced; `replace`: whole devices; `mirror`: also removes all others",
  create_groups: "Creates groups that are named and do not exist; otherwise they are an error",
  dry_run: "`true`: reports what would change, and changes nothing",
  max_changes: "Rejects the request if more would be added, changed and removed",
  max_removals: "Rejects the request if more would be removed",
} as const;

/** Body of POST /inventory/device; entries are validated individually. */
export const upsertRequest = v.strictObject({
  devices: field(v.array(v.unknown(), "must be a list")),
  groups: field(v.array(v.unknown(), "must be a list")),
  mode: v.optional(
    described(v.picklist(upsertModes, `must be one of ${upsertModes.join(", ")}`), upsertWords.mode),
    "merge",
  ),
  create_groups: v.optional(described(truth, upsertWords.create_groups), false),
  dry_run: v.optional(described(truth, upsertWords.dry_run), false),
  max_changes: changeLimit(upsertWords.max_changes),
  max_removals: changeLimit(upsertWords.max_removals),
});

/** The same with its entries, as described to clients. */
export const upsertDocument = v.strictObject({
  ...upsertRequest.entries,
  devices: field(described(v.array(writtenDevice), "Devices, written after the groups")),
  groups: field(described(v.array(writtenGroup), "Groups, written before the devices")),
});

const anyValue = (which: string) => described(v.unknown(), `${which} value, of any type; null: none`);

/** One entry of a diff. */
export const inventoryChange = named(
  "InventoryChange",
  v.object({
    kind: v.picklist(entryKinds),
    name: text,
    change: v.picklist(["added", "changed", "removed"]),
    fields: v.record(text, v.object({ from: anyValue("Former"), to: anyValue("New") })),
  }),
);
export type InventoryChange = Unchanged<v.InferOutput<typeof inventoryChange>>;

export const diffEntries = {
  diff: described(v.array(inventoryChange), `The first ${thousands(inventoryLimits.diff)}`),
  diff_truncated: v.boolean(),
};

/** Result of an upsert or dry run. */
export const upsertAnswer = named(
  "UpsertAnswer",
  v.object({
    dry_run: v.boolean(),
    added: integer,
    changed: integer,
    removed: integer,
    unchanged: integer,
    ...diffEntries,
    revision: described(integer, "Inventory revision after the change"),
  }),
);
export type UpsertAnswer = Unchanged<v.InferOutput<typeof upsertAnswer>>;

const optional = <const S extends v.GenericSchema>(schema: S) => v.exactOptional(schema);
const shown = {
  name: text,
  port: optional(v.nullable(integer)),
  platform: optional(v.nullable(text)),
  driver: optional(v.nullable(text)),
  site: optional(v.nullable(text)),
  role: optional(v.nullable(text)),
  tags: optional(texts),
  credential: optional(v.nullable(sameMembers)),
  connection: optional(sameMembers),
  vars: optional(sameMembers),
  window: optional(v.nullable(texts)),
  change: optional(described(v.nullable(changePolicy), "What changes need; null: nothing")),
  groups: optional(described(texts, "Its group and that group's ancestors, nearest first")),
  source: described(v.nullable(text), "The source that owns it; null: written by a caller"),
  revision: described(integer, "Inventory revision of its last change: its ETag"),
  changed_at: moment,
};
const effectiveOrWritten = "With inherited values; with `effective=false` as written";

export const deviceRecord = named(
  "Device",
  described(
    v.object({
      ...shown,
      host: optional(text),
      group: optional(v.nullable(text)),
      enabled: optional(v.boolean()),
      facts: optional(described(v.nullable(factsRecord), "Discovered facts; null: none")),
      from: optional(described(v.record(text, text), 'Origin of each value: `{"port": "group:core"}`')),
    }),
    effectiveOrWritten,
  ),
);
export type DeviceRecord = Unchanged<v.InferOutput<typeof deviceRecord>>;

export const groupRecord = named(
  "Group",
  described(
    v.object({
      ...shown,
      parent: optional(v.nullable(text)),
      description: optional(v.nullable(text)),
      device_count: optional(
        described(integer, "In lists: its devices and those of groups below it, as far as the key sees them"),
      ),
    }),
    effectiveOrWritten,
  ),
);
export type GroupRecord = Unchanged<v.InferOutput<typeof groupRecord>>;

/** Case-insensitive key of a name. */
export function entryKey(name: string): string {
  return name.toLowerCase();
}
