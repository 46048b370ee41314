/** `patchbay backup`: a whole copy of the database. */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { silentLog } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { loadStore } from "../service/load.ts";
import { masterKeyFile } from "../service/master-key.ts";
import { makePrivateFile } from "../service/private-file.ts";
import { configOf, storeSettings, withSettings } from "./options.ts";
import { print } from "./output.ts";

export function defineBackup(parent: Command): void {
  const command = parent
    .command("backup <file>")
    .description("write a copy of the database, beside the running service or without it");
  withSettings(command, storeSettings).action((file: string, _options, command: Command) =>
    backup(configOf(command), file),
  );
}

async function backup(config: Config, file: string): Promise<void> {
  const target = resolve(file);
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  await withStore(config, silentLog, async (store) => {
    makePrivateFile(target);
    try {
      await store.backup(target);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
  });
  print(`The database is copied to ${target}.`);
  const key = config.values.master_key ? "PATCHBAY_MASTER_KEY" : masterKeyFile(config);
  print(
    `It is sealed with the master key (${key}), which is not in it: keep that elsewhere, the copy can not be read without it.`,
  );
}
