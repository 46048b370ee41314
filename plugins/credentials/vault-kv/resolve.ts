/** From a reference to the fields of a connection: allowed or not, from memory or from the vault. */
import type { Context, CredentialTools } from "patchbay/plugin";
import { fieldsOf, type Kept, readSecret } from "./kv.ts";
import { isAllowed } from "./paths.ts";
import { detached } from "./renewal.ts";
import type { Reference, Settings } from "./schemas.ts";
import { createVault, refused, type Vault } from "./vault.ts";

type Tools = CredentialTools<Reference, Settings>;

/** One for the settings of this node, with its token; another one when they have changed. */
let current: { readonly settings: Settings; readonly vault: Vault } | undefined;
const memory = new Map<string, Remembered>();
const mostKept = 10_000;
/** Of the time that it is kept: who asks later has it read anew, without waiting for that. */
const refreshAt = 2 / 3;

interface Remembered {
  readonly kept: Kept;
  readonly until: number;
  readonly refreshFrom: number;
  isRefreshed: boolean;
}
/** User names stand in errors and outputs: a reference may take for one only what is called like one. */
const accountName = /user|login|account|name/i;
const secretName = /pass|pw|secret|token|key/i;

export default async function resolve(tools: Tools, ctx: Context): Promise<Readonly<Record<string, string>>> {
  const { reference, settings } = tools;
  if (!isAllowed(reference.path, settings.allowed_paths))
    throw refused(`the path ${reference.path} is not one that this node may read (allowed_paths)`);
  const { username } = reference.field_mapping ?? {};
  if (username !== undefined && !(accountName.test(username) && !secretName.test(username)))
    throw refused(
      `field_mapping.username: "${username}" does not sound like the name of an account, which is shown: give username in connection_args, or map it in the settings of this node`,
    );
  if (current?.settings !== settings) {
    current?.vault.stop();
    current = { settings, vault: createVault(settings, tools.http) };
    memory.clear();
  }
  const kept = await secretOf(current.vault, tools, ctx);
  return fieldsOf(kept, { ...settings.field_mapping, ...reference.field_mapping }, reference.path);
}

async function secretOf(vault: Vault, tools: Tools, ctx: Context): Promise<Kept> {
  const { reference, fresh } = tools;
  const key = `${reference.path} ${reference.version ?? ""}`;
  const found = memory.get(key);
  const now = performance.now();
  if (found !== undefined && !fresh && found.until > now) {
    if (found.refreshFrom <= now && !found.isRefreshed) {
      found.isRefreshed = true;
      void refresh(vault, key, tools, detached(ctx));
    }
    return found.kept;
  }
  memory.delete(key);
  return remember(vault, key, tools, ctx);
}

/** What can not be read now stays for the rest of its time. */
async function refresh(vault: Vault, key: string, tools: Tools, ctx: Context): Promise<void> {
  try {
    await remember(vault, key, tools, ctx);
  } catch (error) {
    ctx.log.debug("vault.not_refreshed", { path: tools.reference.path, reason: String(error) });
  }
}

async function remember(vault: Vault, key: string, tools: Tools, ctx: Context): Promise<Kept> {
  const { settings } = tools;
  const { kept, leaseS } = await readSecret(vault, tools.reference, settings, ctx);
  // What the vault lends for a time is not kept longer.
  const ms = Math.min(settings.cache_seconds, leaseS ?? Number.POSITIVE_INFINITY) * 1000;
  if (ms > 0 && current?.vault === vault) {
    if (memory.size >= mostKept) memory.clear();
    const now = performance.now();
    memory.set(key, { kept, until: now + ms, refreshFrom: now + ms * refreshAt, isRefreshed: false });
  }
  return kept;
}
