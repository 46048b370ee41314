/** `patchbay key credentials`: sets which credentials a key may reference. */
import type { Command } from "commander";
import { readChangedKey } from "../../api/key.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";

export const credentialsAbout =
  "credentials it may name: <source>:<ref> or a name of the appliance, wildcards; comma-separated; none: none at all";

export function listOfPatterns(text: string): string[] {
  if (text === "none") return [];
  return text
    .split(",")
    .map((pattern) => pattern.trim())
    .filter(Boolean);
}

export function defineCredentials(key: Command): void {
  const about = "change which credentials a key may name; default: removes its own list";
  const command = key.command("credentials <name> [patterns]").description(about);
  withSettings(command, storeSettings).action(
    (name: string, patterns: string | undefined, _options, command: Command) =>
      limit(configOf(command), name, patterns),
  );
}

async function limit(config: Config, name: string, patterns: string | undefined): Promise<void> {
  const read = readChangedKey({ credentials: patterns === undefined ? null : listOfPatterns(patterns) });
  if ("message" in read) throw new ServiceError("Validation", `The list of credentials: ${read.message}.`);
  const { credentials } = read;
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const limited = await withStore(config, silentLog, (store) =>
    store.keys.limitCredentials(name, credentials, atCommandLine()),
  );
  if (!limited) throw new ServiceError("NotFound", `There is no valid key named "${name}".`);
  const listText = credentials === null ? "no list of its own" : credentials.join(",") || "none at all";
  print(`The key "${name}" may name these credentials: ${listText}.`);
}
