/** `patchbay credential list`: lists names, fields and times, never values. */
import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { minute, print } from "../output.ts";
import { inStore } from "./store.ts";

export function defineList(credential: Command): void {
  const command = credential.command("list").description("list credentials, without their values");
  withSettings(command, storeSettings).action((_options, command: Command) => list(configOf(command)));
}

async function list(config: Config): Promise<void> {
  const credentials = await inStore(config, (store) => store.credentials.list());
  print("source\tname\tfields\tchanged\tlast used");
  for (const { source, ref, fields, changedAt, lastUsedAt } of credentials)
    print([source, ref, fields.join(","), minute(changedAt), minute(lastUsedAt)].join("\t"));
}
