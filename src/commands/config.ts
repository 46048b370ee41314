/** `patchbay config`: the settings in force, secrets masked, and where each came from. */
import process from "node:process";
import { type Config, describeConfig, envName } from "../config.ts";
import { checkSettings, settingWarnings } from "./check.ts";

/** @throws ServiceError what `serve` would refuse, in the same words. */
export function printConfig(config: Config): void {
  checkSettings(config);
  const rows = describeConfig(config).map(({ name, value, origin, about }) => [
    name,
    value,
    origin,
    envName(name),
    about,
  ]);
  const header = ["setting", "value", "from", "environment", "meaning"];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, ...rows]) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  }
  for (const warning of settingWarnings(config)) process.stderr.write(`patchbay: ${warning}\n`);
}
