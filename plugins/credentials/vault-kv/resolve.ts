/** Resolves a reference to connection fields: checks that it is allowed, then reads the cache or the vault. */

import type { Context, CredentialTools } from "patchbay/plugin";
import * as v from "valibot";
import { credentialFields } from "../fields.ts";
import { detached } from "./renewal.ts";
import type { Reference, Settings } from "./schemas.ts";
import { createVault, refused, type Vault } from "./vault.ts";

type Tools = CredentialTools<Reference, Settings>;

/** The vault client with its token for the node's current settings; replaced when they change. */
let current: { readonly settings: Settings; readonly vault: Vault } | undefined;
const memory = new Map<string, Remembered>();
const maxKept = 10_000;
/** Fraction of the cache time after which a hit triggers a refresh in the background. */
const refreshAt = 2 / 3;

interface Remembered {
  readonly secretData: SecretData;
  readonly until: number;
  readonly refreshFrom: number;
  isRefreshed: boolean;
}
/** Usernames appear in errors and outputs, so a reference may use only a field with such a name as the username. */
const accountName = /user|login|account|name/i;
const secretName = /pass|pw|secret|token|key/i;

export default async function resolve(tools: Tools, ctx: Context): Promise<Readonly<Record<string, string>>> {
  const { reference, settings } = tools;
  if (!isAllowed(reference.path, settings.allowed_paths))
    throw refused(`this node is not allowed to read the path ${reference.path} (allowed_paths)`);
  const { username } = reference.field_mapping ?? {};
  if (username !== undefined && !(accountName.test(username) && !secretName.test(username)))
    throw refused(
      `field_mapping.username: "${username}" does not look like the field of a user name, which is not kept secret: set username in connection_args, or map it in the settings of this node`,
    );
  if (current?.settings !== settings) {
    current?.vault.stop();
    current = { settings, vault: createVault(settings, tools.http) };
    memory.clear();
  }
  const secretData = await secretOf(current.vault, tools, ctx);
  return fieldsOf(secretData, { ...settings.field_mapping, ...reference.field_mapping }, reference.path);
}

async function secretOf(vault: Vault, tools: Tools, ctx: Context): Promise<SecretData> {
  const { reference, fresh } = tools;
  const key = `${reference.path} ${reference.version ?? ""}`;
  const cached = memory.get(key);
  const now = performance.now();
  if (cached !== undefined && !fresh && cached.until > now) {
    if (cached.refreshFrom <= now && !cached.isRefreshed) {
      cached.isRefreshed = true;
      void refresh(vault, key, tools, detached(ctx));
    }
    return cached.secretData;
  }
  memory.delete(key);
  return remember(vault, key, tools, ctx);
}

/** If the read fails, the cached value stays until it expires. */
async function refresh(vault: Vault, key: string, tools: Tools, ctx: Context): Promise<void> {
  try {
    await remember(vault, key, tools, ctx);
  } catch (error) {
    ctx.log.debug("vault.not_refreshed", { path: tools.reference.path, reason: String(error) });
  }
}

async function remember(vault: Vault, key: string, tools: Tools, ctx: Context): Promise<SecretData> {
  const { settings } = tools;
  const { secretData, leaseS } = await readSecret(vault, tools.reference, settings, ctx);
  // A leased secret is cached no longer than its lease.
  const ms = Math.min(settings.cache_seconds, leaseS ?? Number.POSITIVE_INFINITY) * 1000;
  if (ms > 0 && current?.vault === vault) {
    if (memory.size >= maxKept) memory.clear();
    const now = performance.now();
    memory.set(key, { secretData, until: now + ms, refreshFrom: now + ms * refreshAt, isRefreshed: false });
  }
  return secretData;
}

/** @param patterns `*` matches one path segment, `**` any number of them */
export function isAllowed(path: string, patterns: readonly string[]): boolean {
  const steps = path.split("/");
  return patterns.some((pattern) => fits(steps, pattern.split("/")));
}

function fits(steps: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return steps.length === 0;
  if (first === "**") return rest.length === 0 || steps.some((_, at) => fits(steps.slice(at), rest));
  return steps.length > 0 && (first === "*" || first === steps[0]) && fits(steps.slice(1), rest);
}

type SecretData = Readonly<Record<string, unknown>>;

const data = v.record(v.string(), v.unknown());
const version1 = v.object({ data, lease_duration: v.optional(v.number(), 0) });
const version2 = v.object({ data: v.object({ data: v.nullable(data) }) });

async function readSecret(
  vault: Vault,
  { path, version }: Reference,
  { mount, kv_version }: Pick<Settings, "mount" | "kv_version">,
  ctx: Context,
): Promise<{ secretData: SecretData; leaseS?: number }> {
  if (version !== undefined && kv_version === 1) throw refused("KV version 1 has no secret versions");
  const where = encodeURI(kv_version === 2 ? `${mount}/data/${path}` : `${mount}/${path}`);
  const answer = await vault.read(`${where}${version === undefined ? "" : `?version=${version}`}`, ctx);
  if (answer === undefined) throw refused(`there is nothing at ${path}`);
  if (kv_version === 1) {
    const parsed = v.safeParse(version1, answer);
    if (!parsed.success) throw refused(`the data at ${path} is not a KV version 1 secret`);
    const { data: secretData, lease_duration: leaseS } = parsed.output;
    return { secretData, ...(leaseS > 0 ? { leaseS } : {}) };
  }
  const parsed = v.safeParse(version2, answer);
  if (!parsed.success)
    throw refused(`the data at ${path} is not a KV version 2 secret: is kv_version correct?`);
  if (parsed.output.data.data === null) throw refused(`the secret at ${path} was deleted`);
  return { secretData: parsed.output.data.data };
}

/** @param mapping connection field -> secret field */
function fieldsOf(
  secretData: SecretData,
  mapping: Readonly<Record<string, string>>,
  path: string,
): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const field of credentialFields) {
    const source = mapping[field] ?? field;
    const value = secretData[source];
    if (value === undefined && mapping[field] === undefined) continue;
    if (typeof value !== "string")
      throw refused(`the secret at ${path} has no string "${source}" for ${field}`);
    fields[field] = value;
  }
  if (Object.keys(fields).length > 0) return fields;
  throw refused(
    `the secret at ${path} has none of ${credentialFields.join(", ")}: map its fields with field_mapping`,
  );
}
