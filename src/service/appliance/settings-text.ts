/** The settings file with comments, generated from the definitions of the settings: all defaults, commented out. */
import { envName, settingDefault } from "../../config/config.ts";
import { type SettingName, secretSettings, settings } from "../../config/settings.ts";
import { secretsFile } from "./layout.ts";

export function settingsText(): string {
  const names = Object.keys(settings) as SettingName[];
  return [
    "# Settings of Patchbay. Commented-out lines show the defaults; `patchbay config --config <this file>`",
    "# prints what is in force, and refuses what the service would refuse.",
    `# Secrets (${secretSettings.map(envName).join(", ")})`,
    `# belong in ${secretsFile}, one NAME=value per line.`,
    ...names.filter((name) => !secretSettings.includes(name)).map(settingText),
    "",
    "# Settings of plugins are in tables of their own:",
    "# [plugins.vault_kv]",
    '# address = "https://vault.example:8200"',
    "",
  ].join("\n");
}

function settingText(name: SettingName): string {
  const { about } = settings[name];
  const value = settingDefault(name);
  const shown = value === undefined ? `${name} =` : `${name} = ${JSON.stringify(value)}`;
  return `\n# ${about}\n#${shown}`;
}

export function secretsText(): string {
  return `# Secrets of Patchbay, read by systemd. Only root can read this file.\n${secretSettings
    .map((name) => `#${envName(name)}=\n`)
    .join("")}`;
}
