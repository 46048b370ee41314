/** `patchbay key revoke`: revokes an API key. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";

export function defineRevoke(key: Command): void {
  const command = key.command("revoke <name>").description("revoke an API key by name or id");
  withSettings(command, storeSettings).action((name: string, _options, command: Command) =>
    revokeKey(configOf(command), name),
  );
}

async function revokeKey(config: Config, name: string): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const outcome = await withStore(config, silentLog, (store) => store.keys.revoke(name, atCommandLine()));
  if (outcome !== "revoked") throw new ServiceError("NotFound", `There is no valid key named "${name}".`);
  print(`The key "${name}" is revoked.`);
}
