/** Exposes settings as command flags, and loads the configuration from them. */
import { type Command, Option } from "commander";
import { type Config, loadConfig } from "../config/config.ts";
import { type SettingName, secretSettings, settings } from "../config/settings.ts";

/** Settings of commands that open the store. */
export const storeSettings: readonly SettingName[] = ["data_dir", "database_url"];
export const allSettings = Object.keys(settings) as SettingName[];

export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    if (secretSettings.includes(name)) continue;
    command.addOption(new Option(`--${name.replaceAll("_", "-")} <value>`, settings[name].about));
  }
  return command;
}

/** Maps flags to setting names; commander uses camel case. */
export function configOf(command: Command): Config {
  const { config: file, ...options } = command.optsWithGlobals<Record<string, unknown>>();
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of allSettings) {
    const value = options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === "string") flags[name] = value;
  }
  return loadConfig(typeof file === "string" ? { flags, file } : { flags });
}
