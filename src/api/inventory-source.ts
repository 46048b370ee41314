/** Inventory sources: schemas of requests and records. */
import * as v from "valibot";
import { members } from "../base/json/objects.ts";
import { hasSecretQuery } from "../base/net/url.ts";
import { diffEntries } from "./inventory.ts";
import { importFormats } from "./inventory-text.ts";
import { described, integer, moment, named, text, type Unchanged } from "./schema.ts";

export const sourceLimits = {
  /** Maximum number of sources. */
  most: 1_000,
  /** Runs kept per source. */
  runs: 20,
  /** Removals of a mirror without `max_removals`: this share of the devices it brought, or this many if that is more. */
  removedShare: 0.2,
  removedLeast: 10,
} as const;

export const sourceKinds = ["netbox", "url", "git"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** NetBox object types. */
export const netboxObjects = ["device", "virtual-machine"] as const;

export const sourceModes = ["merge", "mirror"] as const;

const schemes: Readonly<Record<SourceKind, readonly string[]>> = {
  netbox: ["http:", "https:"],
  url: ["http:", "https:"],
  git: ["https:", "ssh:", "file:"],
};

export const sourceName = v.pipe(
  v.string("must be a string"),
  v.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must be up to 64 letters, digits, `.`, `_` and `-`"),
);
const plain = (most: number) =>
  v.pipe(
    v.string("must be a string"),
    v.nonEmpty("must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\0-\x1f\x7f]*$/, "must not hold control characters"),
  );
const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));
const limit = (description: string) =>
  field(
    described(
      v.pipe(
        v.number("must be a number"),
        v.integer("must be a whole number"),
        v.minValue(0, "must be at least 0"),
      ),
      description,
    ),
  );
/** Refuses logins in URLs, which would show in git's arguments; SSH needs a user name. */
function isWithoutLogin({ protocol, username, password }: URL): boolean {
  return password === "" && (protocol === "ssh:" || username === "");
}

const address = v.pipe(
  plain(2_000),
  v.check((text) => URL.canParse(text), "must be a URL"),
  v.check(
    (text) => !URL.canParse(text) || isWithoutLogin(new URL(text)),
    "must not hold a login: name a credential",
  ),
  v.check((text) => !hasSecretQuery(text), "must not hold a token: name a credential"),
);
/** A path within the repository. */
const inside = v.pipe(
  plain(500),
  v.check(
    (text) => !text.startsWith("/") && !text.startsWith("-") && !text.split("/").includes(".."),
    "must be a path within the repository",
  ),
);

/** Body of PUT /inventory/source/{name}. */
export const writtenSource = v.pipe(
  v.strictObject({
    kind: described(
      v.picklist(sourceKinds, `must be one of ${sourceKinds.join(", ")}`),
      "Kind of source: NetBox, a URL, or a git repository",
    ),
    url: described(address, "URL of the NetBox server, the text, or the repository"),
    format: field(
      described(
        v.picklist(importFormats, `must be one of ${importFormats.join(", ")}`),
        "Format of the fetched text; not for NetBox",
      ),
    ),
    credential: field(
      described(
        v.pipe(
          members,
          v.check((reference) => typeof reference.name === "string", "must have the name of a source"),
        ),
        "Reference to a credential that supplies the login",
      ),
    ),
    group: field(
      described(
        v.pipe(
          v.string("must be a string"),
          v.regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, "must be the name of a group"),
        ),
        "Group of devices that have none; created if missing",
      ),
    ),
    mode: v.optional(
      described(
        v.picklist(sourceModes, `must be one of ${sourceModes.join(", ")}`),
        "`merge`: given fields are replaced; `mirror`: also removes its devices that it no longer has",
      ),
      "merge",
    ),
    max_changes: limit("Rejects a sync if more would be added, changed and removed"),
    max_removals: limit("Rejects a sync if more would be removed"),
    filter: field(
      described(
        plain(2_000),
        "For NetBox: filter of the devices, as a query string: `site=berlin&role=access`",
      ),
    ),
    object: field(
      described(
        v.picklist(netboxObjects, `must be one of ${netboxObjects.join(", ")}`),
        "For NetBox: devices or virtual machines",
      ),
    ),
    path: field(described(inside, "For git: the file or folder")),
    ref: field(
      described(
        v.pipe(plain(200), v.regex(/^[\w][\w./-]*$/, "must be a branch or tag")),
        "For git: a branch or tag",
      ),
    ),
    delimiter: field(described(plain(8), "For router.db and CSV: the column delimiter")),
    map: field(described(plain(256), "For router.db: comma-separated column names")),
    verify: v.optional(
      described(v.boolean("must be true or false"), "`false`: accepts any server certificate"),
      true,
    ),
  }),
  v.forward(
    v.check(
      // What is no URL is reported as such.
      ({ kind, url }) => !URL.canParse(url) || schemes[kind].includes(new URL(url).protocol),
      "has a scheme that this kind does not support",
    ),
    ["url"],
  ),
  v.forward(
    v.check(({ kind, format }) => kind === "netbox" || Boolean(format), "is required for this kind"),
    ["format"],
  ),
  v.forward(
    v.check(({ kind, path }) => kind !== "git" || Boolean(path), "is required for this kind"),
    ["path"],
  ),
  v.forward(
    v.check(({ kind, filter }) => kind === "netbox" || !filter, "is for netbox only"),
    ["filter"],
  ),
  v.forward(
    v.check(({ kind, object }) => kind === "netbox" || !object, "is for netbox only"),
    ["object"],
  ),
  v.forward(
    v.check(({ kind, path }) => kind === "git" || !path, "is for git only"),
    ["path"],
  ),
  v.forward(
    v.check(({ kind, ref }) => kind === "git" || !ref, "is for git only"),
    ["ref"],
  ),
);
export type WrittenSource = v.InferOutput<typeof writtenSource>;

export const runStates = ["succeeded", "failed"] as const;

const count = v.nullable(integer);
const runEntries = {
  status: v.picklist(runStates),
  started_at: moment,
  ended_at: moment,
  by: described(text, "Name of the key"),
  dry_run: v.boolean(),
  added: described(
    count,
    "Number of added devices and groups; of a failed run, those it would have added, if known",
  ),
  changed: count,
  removed: count,
  unchanged: count,
  error: described(v.nullable(text), "Reason of the failure"),
};

/** A sync, or a dry run of one. */
export const sourceRun = named("SourceRun", v.object(runEntries));
export type SourceRun = Unchanged<v.InferOutput<typeof sourceRun>>;

export function readRun(value: unknown): SourceRun {
  return v.parse(sourceRun, value);
}

/** Answer of POST /inventory/source/{name}/sync. */
export const syncAnswer = named("Sync", v.object({ ...runEntries, ...diffEntries }));

const { mode, verify, ...others } = writtenSource.entries;
export const sourceRecord = named(
  "Source",
  described(
    v.object({
      name: text,
      ...others,
      // Without the checks of a new one.
      url: text,
      mode: mode.wrapped,
      verify: verify.wrapped,
      changed_at: moment,
      runs: described(v.array(sourceRun), "Newest first"),
    }),
    "As written, with its last runs",
  ),
);
/** The definition is passed on as it was stored: another version may have written it. */
export type SourceRecord = Pick<
  Unchanged<v.InferOutput<typeof sourceRecord>>,
  "name" | "changed_at" | "runs"
> &
  Readonly<Record<string, unknown>>;

/** Answer of DELETE /inventory/source/{name}. */
export const removedSource = v.object({ name: text });
