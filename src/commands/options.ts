/** Settings as flags of a command, and the configuration that the flags of a call give. */
import { type Command, Option } from "commander";
import { type Config, loadConfig } from "../config/config.ts";
import { type SettingName, secretSettings, settings } from "../config/settings.ts";

/** Settings that a command which opens the store needs. */
export const storeSettings: readonly SettingName[] = ["data_dir", "database_url"];
export const allSettings = Object.keys(settings) as SettingName[];

export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    if (secretSettings.includes(name)) continue;
    command.addOption(new Option(`--${name.replaceAll("_", "-")} <value>`, settings[name].about));
  }
  return command;
}

/** Flags of the call by setting name; commander writes them in camel case. */
export function configOf(command: Command): Config {
  const { config: file, ...options } = command.optsWithGlobals<Record<string, unknown>>();
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of allSettings) {
    const value = options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === "string") flags[name] = value;
  }
  return loadConfig(typeof file === "string" ? { flags, file } : { flags });
}
