/** `patchbay key break-glass`: makes the key for emergencies, which is kept in a safe. */
import process from "node:process";
import type { Command } from "commander";
import { rights } from "../../api/access/key.ts";
import { makeApiKey } from "../../auth/make-key.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";

export function defineBreakGlass(key: Command): void {
  const about =
    "make the key for emergencies and print it once: admin, works without a provider, each use is announced; the one before is revoked";
  const command = key.command("break-glass").description(about);
  withSettings(command, storeSettings).action((_options, command: Command) =>
    makeBreakGlass(configOf(command)),
  );
}

async function makeBreakGlass(config: Config): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const secretKey = makeApiKey();
  const name = `break-glass-${new Date().toISOString().replace(/\D/g, "")}`;
  const key = { name, key: secretKey, scope: "admin", hosts: [], rights };
  const id = await withStore(config, silentLog, (store) => store.keys.addBreakGlass(key, atCommandLine()));
  if (id === undefined)
    throw new ServiceError("Conflict", `There is a key named "${name}" already: try again.`);
  print(secretKey);
  process.stderr.write(
    `The key "${name}" is shown once: write it down, and keep it in a safe. Those made before are revoked. Each use of it is in the audit trail, and told to the webhooks with the event break_glass.used.\n`,
  );
}
