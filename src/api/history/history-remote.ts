/** Git repositories that the history is pushed to: schemas of requests and records. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { address, sourceName } from "../inventory/inventory-source.ts";
import { writer } from "../jobs/job.ts";
import { described, integer, moment, named, text, type Unchanged } from "../schema.ts";

export const remoteLimits = {
  /** Maximum number of remotes. */
  most: 20,
} as const;

/** In a URL: replaced by the name of a group, each of which has a repository. */
export const groupPlace = "{group}";

export const remoteName = sourceName;
const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

const entries = {
  url: described(
    v.pipe(
      address,
      v.check(
        (url) => !URL.canParse(url) || ["https:", "ssh:"].includes(new URL(url).protocol),
        "must begin with https:// or ssh://",
      ),
    ),
    `Of the repository. With \`${groupPlace}\`: one for each group; without: one, with a folder for each group`,
  ),
  branch: v.optional(
    described(
      v.pipe(
        text,
        v.maxLength(200, "must have at most 200 characters"),
        v.regex(/^(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)))[\w][\w./-]*[\w-]$|^\w$/, "must be the name of a branch"),
      ),
      "Branch that is pushed to",
    ),
    "main",
  ),
  credential: field(
    described(
      v.pipe(
        members,
        v.check((reference) => typeof reference.name === "string", "must have the name of a source"),
      ),
      "Reference to a credential: user and token or password, or `pkey` with its `passphrase`",
    ),
  ),
  verify: v.optional(
    described(v.boolean("must be true or false"), "`false`: accepts any server certificate"),
    true,
  ),
  ca: field(
    described(
      v.pipe(
        text,
        v.maxLength(64 * 1024, "must have at most 64 KiB"),
        v.regex(
          /^\s*-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\s*$/,
          "must be certificates in PEM",
        ),
      ),
      "Certificates of the server's authority, in PEM, if the machine does not have them",
    ),
  ),
  host_key: field(
    described(
      v.pipe(text, v.regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, "must be a fingerprint: SHA256:…")),
      "Fingerprint of the SSH server. Default: the known host keys of this service",
    ),
  ),
  enabled: v.optional(described(v.boolean("must be true or false"), "`false`: pushed on request only"), true),
};

/** Body of PUT /history/remote/{name}. */
export const remoteRequest = named("RemoteRequest", v.strictObject(entries));
export type RemoteRequest = v.InferOutput<typeof remoteRequest>;

/** A remote as it is stored. */
export const storedRemote = v.object(entries);

export const remoteStates = ["current", "behind", "failing", "off"] as const;

export const remoteRecord = named(
  "Remote",
  v.object({
    name: text,
    ...entries,
    url: text,
    branch: text,
    verify: v.boolean(),
    enabled: v.boolean(),
    changed_at: moment,
    submitted_by: writer,
    state: described(
      v.picklist(remoteStates),
      "`behind`: it is pushed soon; `failing`: it is tried again, less and less often; `off`: on request only",
    ),
    waiting: described(integer, "Good versions that are not there yet"),
    pushed_at: described(v.nullable(moment), "When a push last succeeded"),
    head: described(v.nullable(text), "The commit that it left there; null: none, or one for each group"),
    error: described(v.nullable(text), "Why it fails, and what to do"),
    failing_since: v.nullable(moment),
  }),
);
export type RemoteRecord = Unchanged<v.InferOutput<typeof remoteRecord>>;

/** Answer of DELETE /history/remote/{name}. */
export const removedRemote = v.object({ name: text });
