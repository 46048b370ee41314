/** Inventory sources: schemas of requests and records. */
import * as v from "valibot";
import { members } from "../base/json/objects.ts";
import { hasSecretQuery } from "../base/net/url.ts";
import { importFormats } from "./inventory-text.ts";

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
const limit = field(
  v.pipe(
    v.number("must be a number"),
    v.integer("must be a whole number"),
    v.minValue(0, "must be at least 0"),
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
    kind: v.picklist(sourceKinds, `must be one of ${sourceKinds.join(", ")}`),
    /** Base URL of NetBox, or URL of the text or repository. */
    url: address,
    /** Format of the text; not for NetBox. */
    format: field(v.picklist(importFormats, `must be one of ${importFormats.join(", ")}`)),
    /** A reference, as in `connection_args.credential`. */
    credential: field(
      v.pipe(
        members,
        v.check((reference) => typeof reference.name === "string", "must have the name of a source"),
      ),
    ),
    /** Group for devices without one; created if missing. */
    group: field(
      v.pipe(
        v.string("must be a string"),
        v.regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, "must be the name of a group"),
      ),
    ),
    mode: v.optional(v.picklist(sourceModes, `must be one of ${sourceModes.join(", ")}`), "merge"),
    max_changes: limit,
    max_removals: limit,
    /** NetBox filter: `site=berlin&role=access`. */
    filter: field(plain(2_000)),
    /** NetBox object type. */
    object: field(v.picklist(netboxObjects, `must be one of ${netboxObjects.join(", ")}`)),
    /** File or folder in the git repository; `ref` is a branch or tag. */
    path: field(inside),
    ref: field(v.pipe(plain(200), v.regex(/^[\w][\w./-]*$/, "must be a branch or tag"))),
    /** For text without a header. */
    delimiter: field(plain(8)),
    map: field(plain(256)),
    /** If false, the server certificate is not verified. */
    verify: v.optional(v.boolean("must be true or false"), true),
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

const count = v.nullable(v.number());
const sourceRun = v.object({
  status: v.picklist(runStates),
  started_at: v.string(),
  ended_at: v.string(),
  /** Name of the API key. */
  by: v.string(),
  dry_run: v.boolean(),
  /** Changes made; for a refused sync those it would have made. */
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
  /** Error of a failed run. */
  error: v.nullable(v.string()),
});
/** A sync run. Times are ISO 8601. */
export type SourceRun = v.InferOutput<typeof sourceRun>;

export function readRun(value: unknown): SourceRun {
  return v.parse(sourceRun, value);
}

/** The API record. */
export type SourceRecord = Record<string, unknown> & {
  name: string;
  changed_at: string;
  /** Newest first. */
  runs: SourceRun[];
};
