/** Resolves a reference to connection fields: checks that it is allowed, then reads the cache or the vault. */
import type { Context, CredentialTools } from "patchbay/plugin";
import { fieldsOf, readSecret, type SecretData } from "./kv.ts";
import { isAllowed } from "./paths.ts";
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
