/** The providers of the settings: one as `oidc_…`, further ones as `[oidc.<name>]` of patchbay.toml. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { readReason } from "../base/files/file-errors.ts";
import { suggestion } from "../base/text/near-names.ts";
import { type Config, envName } from "../config/config.ts";
import { providerName, settings } from "../config/settings.ts";
import type { ProviderSettings } from "./port.ts";

const maxProviders = 16;
const maxSecretLength = 4_096;

/** Members of a table, with the schemas of the settings of the same name. */
const table = {
  issuer: settings.oidc_issuer.schema,
  client_id: settings.oidc_client_id.schema,
  secret_file: settings.oidc_secret_file.schema,
  scopes: settings.oidc_scopes.schema,
  groups_claim: settings.oidc_groups_claim.schema,
  name_claim: settings.oidc_name_claim.schema,
  ca_file: settings.oidc_ca_file.schema,
};
type Members = v.InferOutput<v.ObjectSchema<typeof table, undefined>>;
type Member = keyof typeof table;

/** @returns the providers without a problem, and a sentence for each problem */
export function readProviders(config: Config): {
  readonly providers: readonly ProviderSettings[];
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = [ofSettings(config, problems), ...ofTables(config, problems)].filter(
    (one) => one !== undefined,
  );
  // Names of tables differ, so only the one of the settings may be given twice.
  const names = read.map(({ name }) => name);
  if (new Set(names).size < names.length)
    problems.push(`${envName("oidc_name")}: patchbay.toml has a provider "${names[0]}", too`);
  if (read.length > maxProviders)
    problems.push(`patchbay.toml: at most ${maxProviders} providers can be given`);
  if (read.length > 0 && config.values.public_url === undefined)
    problems.push(
      `${envName("public_url")}: must be set for sign-in by OpenID Connect, as the address that browsers use`,
    );
  if (read.length === 0 && !config.values.key_login)
    problems.push(`${envName("key_login")}: nobody could sign in to the console: no provider is set`);
  return { providers: read, problems };
}

function ofSettings({ values, origins }: Config, problems: string[]): ProviderSettings | undefined {
  const where = (member: Member) => envName(`oidc_${member}`);
  if (values.oidc_issuer === undefined) {
    const set = (["oidc_client_id", "oidc_secret_file", "oidc_ca_file"] as const).filter(
      (name) => origins[name] !== "default",
    );
    if (set.length > 0)
      problems.push(`${where("issuer")} is not set: without it ${set.map(envName).join(", ")} has no use`);
    return undefined;
  }
  const members = {
    issuer: values.oidc_issuer,
    client_id: values.oidc_client_id,
    secret_file: values.oidc_secret_file,
    scopes: values.oidc_scopes,
    groups_claim: values.oidc_groups_claim,
    name_claim: values.oidc_name_claim,
    ca_file: values.oidc_ca_file,
  };
  return providerOf(values.oidc_name, members, where, problems);
}

function ofTables({ providerTables }: Config, problems: string[]): (ProviderSettings | undefined)[] {
  return Object.entries(providerTables).map(([name, given]) => {
    const before = problems.length;
    const where = (member: string) => `patchbay.toml: oidc.${name}.${member}`;
    const named = v.safeParse(providerName, name);
    if (!named.success) problems.push(`patchbay.toml: [oidc.${name}]: the name ${named.issues[0].message}`);
    for (const member of Object.keys(given).filter((member) => !Object.hasOwn(table, member)))
      problems.push(`${where(member)}: there is no such member.${suggestion(member, Object.keys(table))}`);
    const result = v.safeParse(v.object(table), given);
    for (const issue of result.issues ?? [])
      problems.push(`${where(v.getDotPath(issue) ?? "")}: ${issue.message}`);
    return problems.length > before || !result.success
      ? undefined
      : providerOf(name, withPaths(result.output), where, problems);
  });
}

function withPaths(members: Members): Members {
  const { secret_file, ca_file } = members;
  return {
    ...members,
    secret_file: secret_file === undefined ? undefined : resolve(secret_file),
    ca_file: ca_file === undefined ? undefined : resolve(ca_file),
  };
}

function providerOf(
  name: string,
  members: Members,
  where: (member: Member) => string,
  problems: string[],
): ProviderSettings | undefined {
  const { issuer, client_id: clientId, secret_file: secretFile, ca_file: caFile } = members;
  if (issuer === undefined) problems.push(`${where("issuer")} is not set`);
  if (clientId === undefined)
    problems.push(`${where("client_id")} is not set: the provider gives one to each client`);
  for (const [member, read] of [
    ["secret_file", () => secretFile !== undefined && readSecret(secretFile)],
    ["ca_file", () => caFile !== undefined && readAuthorities(caFile)],
  ] as const) {
    try {
      read();
    } catch (error) {
      problems.push(`${where(member)}: ${members[member]} ${readReason(error)}`);
    }
  }
  if (issuer === undefined || clientId === undefined) return undefined;
  const { scopes, groups_claim: groupsClaim, name_claim: nameClaim } = members;
  return { name, issuer, clientId, secretFile, scopes, groupsClaim, nameClaim, caFile };
}

/** @throws Error whose message is the rest of a sentence about the file */
export function readSecret(file: string): string {
  const text = read(file).replace(/\r?\n$/, "");
  if (text !== "" && text.length <= maxSecretLength && !/[\r\n\0]/.test(text)) return text;
  throw new Error("must be one line with the client secret");
}

/** @throws Error whose message is the rest of a sentence about the file */
export function readAuthorities(file: string): string {
  const text = read(file);
  try {
    new X509Certificate(text);
  } catch {
    throw new Error("contains no PEM certificate");
  }
  return text;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`cannot be read: ${readReason(error)}`);
  }
}
