/** `patchbay key rotate-master`: adds a new master key before the old ones. */
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { loadMasterKeys, masterKeyFile, writeMasterKeys } from "../../service/master-key.ts";
import { actAsOwner } from "../../service/owner.ts";
import { configOf, withSettings } from "../options.ts";
import { print } from "../output.ts";

export function defineRotateMaster(key: Command): void {
  const command = key.command("rotate-master").description("add a new master key in front of the old one");
  withSettings(command, ["data_dir"]).action((_options, command: Command) => rotateMaster(configOf(command)));
}

/** The next start re-seals everything and logs `rotation.done`; then the old lines may be removed. */
function rotateMaster(config: Config): void {
  if (config.values.master_key) {
    const remedy = "put the new key in front of the old one, separated by a space, and restart the service";
    throw new ServiceError("BadRequest", `The master key comes from PATCHBAY_MASTER_KEY: ${remedy}.`);
  }
  actAsOwner(config.values.data_dir);
  const { current, former } = loadMasterKeys(config);
  writeMasterKeys(masterKeyFile(config), [randomBytes(current.length), current, ...former]);
  print(
    `A new master key stands first in ${masterKeyFile(config)}. Restart the service: it re-encrypts everything with it and logs rotation.done.`,
  );
}
