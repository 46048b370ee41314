/**
 * Merges flags, environment, patchbay.toml and defaults into one frozen, validated Config. The only reader of the
 * environment.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parse as parseToml } from "smol-toml";
import * as v from "valibot";
import { clientVariablePrefix } from "../base/client-variables.ts";
import { ServiceError } from "../base/errors.ts";
import { readReason } from "../base/files/file-errors.ts";
import { type PluginSettings, pluginVariablePrefix } from "../base/plugin-settings.ts";
import { masked } from "../base/secrets/mask.ts";
import { isSecretName } from "../base/secrets/secret-name.ts";
import { nearNames } from "../base/text/near-names.ts";
import { zoneNamed } from "../base/time/zone.ts";
import { type SettingName, secretSettings, settings } from "./settings.ts";

/** Path of the settings file. */
const configVariable = "PATCHBAY_CONFIG";

export type Origin = "flag" | "environment" | "file" | "default";

export interface Config {
  readonly values: ConfigValues;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  /** IANA time zone in which times are shown. */
  readonly timeZone: string;
  readonly pluginSettings: PluginSettings;
  /** `[oidc.<name>]` of patchbay.toml, by the name of the provider; not validated yet. */
  readonly providerTables: Tables;
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Output<S> = S extends { schema: infer T extends v.GenericSchema } ? v.InferOutput<T> : never;
export type ConfigValues = { readonly [K in SettingName]: Output<(typeof settings)[K]> };

export interface ConfigInput {
  /** Values of command-line flags by setting name. */
  readonly flags?: Partial<Record<SettingName, string>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Path of a TOML file; default `patchbay.toml` in the working directory, if it exists. */
  readonly file?: string;
}

/** @throws ServiceError Validation that names each invalid setting and where it came from. */
export function loadConfig(input: ConfigInput = {}): Config {
  const environment = input.environment ?? process.env;
  const { file, plugins, providers } = splitTables(readFile(input.file ?? environment[configVariable]));
  const variables = Object.entries(environment).filter(isPluginVariable);
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const problems: string[] = [];
  for (const name of settingNames()) {
    const setting = settings[name];
    const [raw, origin] = pick(input.flags?.[name], environment[envName(name)], file[name]);
    const result = v.safeParse(setting.schema, raw);
    origins[name] = origin;
    values[name] = result.output;
    if (!result.success) problems.push(`${sourceName(name, origin)}: ${result.issues[0].message}`);
  }
  problems.push(...unknownNames(Object.keys(file), Object.keys(environment)));
  // The C library accepts a leading colon, which must be removed here.
  const timeZone = (environment.TZ || "UTC").replace(/^:/, "");
  if (timeZone !== "UTC" && zoneNamed(timeZone) === undefined)
    problems.push("TZ in the environment: is not a time zone such as Europe/Berlin");
  if (problems.length > 0) {
    throw new ServiceError(
      "Validation",
      `The configuration is not valid.\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
  }
  if (environment === process.env) {
    forgetSecrets();
    // Times without an offset are parsed in the zone in which times are shown, not that of the machine.
    process.env.TZ = timeZone;
  }
  // Each value was validated by the schema that its type derives from.
  return Object.freeze({
    values: withPaths(values as unknown as ConfigValues),
    origins: origins as Config["origins"],
    timeZone,
    pluginSettings: { tables: plugins, variables: Object.fromEntries(variables) },
    providerTables: providers,
  });
}

/** Apart from the settings: `[plugins.<name>]` for each plugin, `[oidc.<name>]` for each provider. */
function splitTables({ plugins, oidc, ...rest }: Record<string, unknown>): {
  file: Record<string, unknown>;
  plugins: Tables;
  providers: Tables;
} {
  const ofPlugins = tablesIn("plugins", plugins);
  const ofProviders = tablesIn("oidc", oidc);
  return {
    file: { ...rest, ...ofPlugins.settings, ...ofProviders.settings },
    plugins: ofPlugins.tables,
    providers: ofProviders.tables,
  };
}

/** `plugins` is either a list of folders, or a table with the list as `folders` and a table per plugin. */
function tablesIn(name: string, value: unknown): { tables: Tables; settings: Record<string, unknown> } {
  if (!isTable(value)) return { tables: {}, settings: value === undefined ? {} : { [name]: value } };
  const tables: Record<string, Record<string, unknown>> = {};
  const settings: Record<string, unknown> = {};
  for (const [inner, member] of Object.entries(value)) {
    if (isTable(member)) tables[inner] = member;
    else settings[`${name}.${inner}` === "plugins.folders" ? "plugins" : `${name}.${inner}`] = member;
  }
  return { tables, settings };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isPluginVariable(entry: [string, string | undefined]): entry is [string, string] {
  return entry[0].startsWith(pluginVariablePrefix) && entry[1] !== undefined;
}

const passwordInUrl = /^[^:/?#]+:\/\/[^@/?#]*:[^@/?#]*@/;

/** Removes secrets from the environment, where plugins and child processes would find them. */
function forgetSecrets(): void {
  const ofPlugins = Object.keys(process.env).filter((name) => name.startsWith(pluginVariablePrefix));
  const url = envName("database_url");
  const ofDatabase = passwordInUrl.test(process.env[url] ?? "") ? [url] : [];
  for (const name of [...secretSettings.map(envName), ...ofDatabase, ...ofPlugins]) delete process.env[name];
}

/** Rejects unknown names: a typo would silently leave a default in effect. */
function unknownNames(file: readonly string[], environment: readonly string[]): string[] {
  const inEnvironment = [...settingNames().map(envName), configVariable];
  const suggestion = (name: string, names: readonly string[]) => {
    const near = nearNames(name, names, 3);
    return near.length > 0 ? `; did you mean ${near.join(", ")}?` : "";
  };
  return [
    ...file
      .filter((name) => !Object.hasOwn(settings, name))
      .map((name) => `patchbay.toml: there is no setting "${name}"${suggestion(name, settingNames())}`),
    ...environment
      .filter((name) => name.startsWith("PATCHBAY_") && !inEnvironment.includes(name))
      .filter((name) => !name.startsWith(pluginVariablePrefix) && !name.startsWith(clientVariablePrefix))
      .map((name) => `${name}: there is no such setting${suggestion(name, inEnvironment)}`),
  ];
}

function settingNames(): SettingName[] {
  return Object.keys(settings) as SettingName[];
}

function pick(...candidates: unknown[]): [unknown, Origin] {
  const origins = ["flag", "environment", "file"] as const;
  // Empty texts and lists count as not set.
  const empty = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0);
  const at = candidates.findIndex((value) => value !== undefined && !empty(value));
  return [candidates[at], origins[at] ?? "default"];
}

/** The default value; paths as they are written. */
export function settingDefault(name: SettingName): unknown {
  return v.parse(settings[name].schema, undefined);
}

export function envName(name: SettingName): string {
  return `PATCHBAY_${name.toUpperCase()}`;
}

function sourceName(name: SettingName, origin: Origin): string {
  return origin === "flag"
    ? `--${name.replaceAll("_", "-")}`
    : origin === "file"
      ? `patchbay.toml: ${name}`
      : envName(name);
}

function readFile(path: string | undefined): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path ?? "patchbay.toml", "utf8");
  } catch (error) {
    if (path === undefined) return {};
    throw new ServiceError(
      "Validation",
      `The configuration file ${path} cannot be read: ${readReason(error)}.`,
    );
  }
  try {
    return parseToml(text);
  } catch (error) {
    throw new ServiceError(
      "Validation",
      `${path ?? "patchbay.toml"} is not valid TOML: ${(error as Error).message}`,
    );
  }
}

/** Resolves paths and fills in defaults that depend on the data directory. */
const filePaths = [
  ...(["agent_socket", "tls_cert", "tls_key", "tls_client_ca"] as const),
  ...(["backup_folder", "backup_passphrase_file", "oidc_secret_file", "oidc_ca_file"] as const),
] as const;

function withPaths(values: ConfigValues): ConfigValues {
  const data = resolve(values.data_dir);
  const below = (folders: readonly string[], name: string) =>
    folders.length > 0 ? folders.map((folder) => resolve(folder)) : [join(data, name)];
  return Object.freeze({
    ...values,
    data_dir: data,
    node: values.node ?? hostname(),
    plugins: below(values.plugins, "plugins"),
    template_roots: below(values.template_roots, "templates"),
    transfer_roots: below(values.transfer_roots, "files"),
    key_roots: below(values.key_roots, "keys"),
    known_hosts: values.known_hosts.map((file) => resolve(file)),
    ...Object.fromEntries(
      filePaths.flatMap((name) => {
        const path = values[name];
        return path === undefined ? [] : [[name, resolve(path)]];
      }),
    ),
  });
}

export interface ShownSetting {
  name: SettingName;
  value: string;
  origin: Origin;
  about: string;
}

/** Effective settings and their origins, secrets masked: `patchbay config`. */
export function describeConfig(config: Config): ShownSetting[] {
  return settingNames().map((name) => ({
    name,
    value: shownValue(config.values[name]),
    origin: config.origins[name],
    about: settings[name].about,
  }));
}

/** Formats settings for display, with secrets removed, including those within URLs. */
function shownValue(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(withoutSecrets).join(":");
  return withoutSecrets(String(value));
}

/** Removes user info from URLs, and query parameters with secret-like names. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${masked}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (match, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${masked}` : match,
    );
}
