/** `patchbay credential remove`: removes a credential; jobs that reference it fail from then on. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { atCommandLine } from "../key/actor.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { checkName, inStore, type SourceOption, withSource } from "./store.ts";

export function defineRemove(credential: Command): void {
  const command = withSource(credential.command("remove <ref>").description("remove a credential"));
  withSettings(command, storeSettings).action((ref: string, options: SourceOption, command: Command) =>
    remove(configOf(command), ref, options),
  );
}

async function remove(config: Config, named: string, options: SourceOption): Promise<void> {
  const { ref, source } = checkName(named, options);
  const removed = await inStore(config, (store) => store.credentials.remove(source, ref, atCommandLine()));
  if (!removed) throw new ServiceError("NotFound", `There is no credential "${source}:${ref}".`);
  print(`The credential "${source}:${ref}" is removed.`);
}
