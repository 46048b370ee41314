/** One secret of the KV engine, and the connection fields it provides. */
import type { Context } from "patchbay/plugin";
import * as v from "valibot";
import { credentialFields } from "../fields.ts";
import type { Reference, Settings } from "./schemas.ts";
import { refused, type Vault } from "./vault.ts";

export type SecretData = Readonly<Record<string, unknown>>;

const data = v.record(v.string(), v.unknown());
const version1 = v.object({ data, lease_duration: v.optional(v.number(), 0) });
const version2 = v.object({ data: v.object({ data: v.nullable(data) }) });

export async function readSecret(
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
export function fieldsOf(
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
