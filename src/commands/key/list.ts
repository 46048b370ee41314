/** `patchbay key list`: lists API keys, never in clear text. */
import type { Command } from "commander";
import { stateOfKey } from "../../api/key.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { minute, print } from "../output.ts";

export function defineList(key: Command): void {
  withSettings(key.command("list").description("list API keys"), storeSettings).action(
    (_options, command: Command) => listKeys(configOf(command)),
  );
}

async function listKeys(config: Config): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const keys = await withStore(config, silentLog, (store) => store.keys.list());
  print("name\tscope\thosts\tcredentials\tcreated\texpires\tlast used\tstate\tcertificate");
  const now = Date.now();
  for (const key of keys) {
    const cells = [
      key.name,
      key.scope,
      key.hosts.join(",") || "all",
      key.credentials === null ? "-" : key.credentials.join(",") || "none",
      minute(key.createdAt),
      minute(key.expiresAt),
      minute(key.lastUsedAt),
      stateOfKey(key, now).replace("_", " "),
      key.certificate ?? "-",
    ];
    print(cells.join("\t"));
  }
}
