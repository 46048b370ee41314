/** Plugin settings from a table of patchbay.toml and environment variables, validated by the plugin's schema. */

import { type PluginSettings, pluginVariablePrefix } from "../base/plugin-settings.ts";
import { masked } from "../base/secrets/mask.ts";
import { Secret } from "../base/secrets/secret.ts";
import { isSecretName } from "../base/secrets/secret-name.ts";
import type { Manifest } from "../plugin/kit/kit.ts";

type Configurable = Pick<Manifest<string>, "name" | "settings">;

/**
 * Returns the parsed settings.
 * @throws Error one sentence that names each invalid setting, never a value
 */
export async function readSettings(plugin: Configurable, source: PluginSettings): Promise<unknown> {
  const values = givenTo(plugin, source);
  if (plugin.settings === undefined) {
    const [name] = Object.keys(values);
    if (name === undefined) return {};
    throw new Error(`it has no settings, but ${where(plugin, name, source)} is set`);
  }
  const first = await plugin.settings["~standard"].validate(values);
  if (first.issues === undefined) return first.value;
  // Environment variables are always text: a value that the schema rejects as text may be JSON.
  const read = { ...values };
  for (const issue of first.issues) {
    const name = nameOf(issue);
    if (name !== undefined && fromEnvironment(plugin, name, source)) read[name] = jsonOr(read[name]);
  }
  const second = await plugin.settings["~standard"].validate(read);
  if (second.issues === undefined) return second.value;
  const faults = second.issues.map((issue) => {
    const name = nameOf(issue);
    const path = (issue.path ?? []).map(stepOf).join(".");
    if (name === undefined) return issue.message.replace(/,? (but )?received[\s\S]*$/i, "");
    if (read[name] === undefined) return `${path} is required (${bothPlaces(plugin, name)})`;
    return `${where(plugin, name, source)}: ${issue.message.replace(/,? (but )?received[\s\S]*$/i, "")}`;
  });
  throw new Error(`its settings are not valid: ${faults.join("; ")}`);
}

/** Settings of these plugins only. */
export function settingsOfPlugins(
  { tables, variables }: PluginSettings,
  plugins: readonly Configurable[],
): PluginSettings {
  const names = new Set(plugins.map(({ name }) => name));
  const prefixes = plugins.map(({ name }) => prefixOf(name));
  return {
    tables: Object.fromEntries(Object.entries(tables).filter(([name]) => names.has(name))),
    variables: Object.fromEntries(
      Object.entries(variables).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix))),
    ),
  };
}

/** For display: each setting as text; secrets are masked by their name or parsed type. */
export function shownSettings(
  plugin: Configurable,
  source: PluginSettings,
  values: unknown,
): { name: string; value: string; origin: "environment" | "file" | "default"; variable: string }[] {
  const fields = typeof values === "object" && values !== null ? Object.entries(values) : [];
  const givenValues = givenTo(plugin, source);
  return fields.map(([name, value]) => ({
    name,
    value: shown(name, value),
    variable: `${prefixOf(plugin.name)}${name.toUpperCase()}`,
    origin:
      givenValues[name] === undefined
        ? "default"
        : fromEnvironment(plugin, name, source)
          ? "environment"
          : "file",
  }));
}

/** Tables and variables that match no plugin, most likely typos. */
export function unusedSettings(source: PluginSettings, plugins: readonly Configurable[]): string[] {
  const names = new Set(plugins.map(({ name }) => name));
  const prefixes = plugins.filter(({ settings }) => settings !== undefined).map(({ name }) => prefixOf(name));
  return [
    ...Object.keys(source.tables)
      .filter((name) => !names.has(name))
      .map((name) => `[plugins.${name}]`),
    ...Object.keys(source.variables).filter((name) => !prefixes.some((prefix) => name.startsWith(prefix))),
  ];
}

function givenTo(plugin: Configurable, { tables, variables }: PluginSettings): Record<string, unknown> {
  // Without settings, a variable that begins like its name belongs to another plugin: `netbox`, and `netbox-vault`.
  if (plugin.settings === undefined) return { ...tables[plugin.name] };
  const prefix = prefixOf(plugin.name);
  const fromVariables = Object.entries(variables)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]): [string, string] => [name.slice(prefix.length).toLowerCase(), value]);
  return { ...tables[plugin.name], ...Object.fromEntries(fromVariables) };
}

function prefixOf(name: string): string {
  return `${pluginVariablePrefix}${name.toUpperCase().replaceAll("-", "_")}_`;
}

function fromEnvironment(plugin: Configurable, field: string, { variables }: PluginSettings): boolean {
  return variables[`${prefixOf(plugin.name)}${field.toUpperCase()}`] !== undefined;
}

function where(plugin: Configurable, field: string, source: PluginSettings): string {
  return fromEnvironment(plugin, field, source)
    ? `${prefixOf(plugin.name)}${field.toUpperCase()}`
    : `[plugins.${plugin.name}] ${field}`;
}

function bothPlaces(plugin: Configurable, field: string): string {
  return `[plugins.${plugin.name}] ${field}, or ${prefixOf(plugin.name)}${field.toUpperCase()}`;
}

function nameOf(issue: { path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined }) {
  const first = issue.path?.[0];
  return first === undefined ? undefined : stepOf(first);
}

function stepOf(step: PropertyKey | { key: PropertyKey }): string {
  return String(typeof step === "object" ? step.key : step);
}

function jsonOr(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

function shown(name: string, value: unknown): string {
  if (value instanceof Secret || isSecretName(name)) return masked;
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (key, member) => (isSecretName(key) ? masked : member)) ?? "";
}
