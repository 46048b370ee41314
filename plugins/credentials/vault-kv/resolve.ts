/** From a reference to the fields of a connection: allowed or not, from memory or from the vault. */
import type { Context, CredentialTools } from "patchbay/plugin";
import { fieldsOf, type Kept, readSecret } from "./kv.ts";
import { isAllowed } from "./paths.ts";
import type { Reference, Settings } from "./schemas.ts";
import { createVault, refused, type Vault } from "./vault.ts";

type Tools = CredentialTools<Reference, Settings>;

/** One for the settings of this node, with its token; another one when they have changed. */
let current: { readonly settings: Settings; readonly vault: Vault } | undefined;
const memory = new Map<string, { readonly kept: Kept; readonly until: number }>();
const mostKept = 10_000;
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
    current = { settings, vault: createVault(settings, tools.http) };
    memory.clear();
  }
  const kept = await secretOf(current.vault, tools, ctx);
  return fieldsOf(kept, { ...settings.field_mapping, ...reference.field_mapping }, reference.path);
}

async function secretOf(vault: Vault, { reference, settings, fresh }: Tools, ctx: Context): Promise<Kept> {
  const key = `${reference.path} ${reference.version ?? ""}`;
  const found = memory.get(key);
  if (found !== undefined && !fresh && found.until > performance.now()) return found.kept;
  memory.delete(key);
  const { kept, leaseS } = await readSecret(vault, reference, settings, ctx);
  // What the vault lends for a time is not kept longer.
  const seconds = Math.min(settings.cache_seconds, leaseS ?? Number.POSITIVE_INFINITY);
  if (seconds > 0) {
    if (memory.size >= mostKept) memory.clear();
    memory.set(key, { kept, until: performance.now() + seconds * 1000 });
  }
  return kept;
}
