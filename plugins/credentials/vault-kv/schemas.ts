/** Settings and references of the credential source `vault_kv`. */
import { secret } from "patchbay/plugin";
import * as v from "valibot";
import { credentialFields } from "../fields.ts";

const path = v.pipe(
  v.string(),
  v.regex(/^[\w.@-]+(?:\/[\w.@ -]+)*$/, "must be a path such as network/core"),
  v.check((text) => !/(?:^|\/)\.\.?(?:\/|$)/.test(text), "must not contain . or .. as a segment"),
  v.maxLength(512, "is too long"),
);
const nonEmptyText = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(512, "is too long"));
/** Connection field -> secret field. */
const mapping = v.record(v.picklist(credentialFields), nonEmptyText);

export const settings = v.object({
  /** `https://vault.example:8200`; if absent, the source is disabled. */
  url: v.optional(v.pipe(v.string(), v.url("must be a URL"))),
  // One auth method.
  token: v.optional(secret(nonEmptyText)),
  role_id: v.optional(nonEmptyText),
  secret_id: v.optional(secret(nonEmptyText)),
  /** Vault role for the service account of a Kubernetes pod. */
  kubernetes_role: v.optional(nonEmptyText),
  kubernetes_token_file: v.optional(nonEmptyText, "/var/run/secrets/kubernetes.io/serviceaccount/token"),
  /** Mount path of AppRole or Kubernetes; default `approle` or `kubernetes`. */
  auth_mount: v.optional(path),
  namespace: v.optional(nonEmptyText),
  mount: v.optional(path, "secret"),
  kv_version: v.optional(v.picklist([1, 2], "must be 1 or 2"), 2),
  /** CA certificates in PEM format; default: the system's. */
  ca_file: v.optional(nonEmptyText),
  field_mapping: v.optional(mapping, {}),
  /** Paths that requests may name: `*` is one segment, `**` any number. By default only our own prefix is allowed. */
  allowed_paths: v.optional(v.array(v.string()), ["patchbay/**"]),
  /** Seconds that a secret is cached in memory; 0 reads it for each job. */
  cache_seconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400)), 60),
  /** Timeout of each request, in seconds. */
  timeout: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(60)), 10),
});
export type Settings = v.InferOutput<typeof settings>;

export const reference = v.strictObject({
  name: v.literal("vault_kv"),
  path,
  /** Version of a KV version 2 secret; default the newest. */
  version: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** Overrides the settings. */
  field_mapping: v.optional(mapping),
});
export type Reference = v.InferOutput<typeof reference>;
