/** Checks everything that a node needs and reports each part with advice. Writes only the store's probe row. */
import { messageOf } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import type { Program } from "../program.ts";
import { checkBackups } from "./backups.ts";
import { checkDatabase } from "./database.ts";
import { type Check, type Finding, fail } from "./finding.ts";
import { checkClock, checkDataDirectory, checkDescriptors } from "./machine.ts";
import { checkDevices, checkListening } from "./network.ts";
import { checkCertificate, checkPlugins, checkSettingsAsServed } from "./settings.ts";

export type { Finding } from "./finding.ts";

/**
 * @param devices `<host>:<port>` that must be reachable from here
 * @param isQuick a health check, which reads no tables
 */
export async function examine(
  config: Config,
  devices: readonly string[],
  program: Program,
  isQuick = false,
): Promise<readonly Finding[]> {
  const checks: Readonly<Record<string, Check>> = {
    settings: () => checkSettingsAsServed(config),
    "data directory": () => checkDataDirectory(config.values.data_dir, config.values.min_free_mb),
    database: () => checkDatabase(config, isQuick),
    backups: () => checkBackups(config),
    clock: () => checkClock(),
    descriptors: () => checkDescriptors(config),
    plugins: () => checkPlugins(config, program),
    certificate: () => checkCertificate(config),
    service: () => checkListening(config),
    devices: () => checkDevices(devices),
  };
  const found: Finding[] = [];
  for (const [check, look] of Object.entries(checks)) {
    try {
      found.push(...(await look()));
    } catch (error) {
      found.push(fail(check, messageOf(error), "The check itself failed."));
    }
  }
  return found;
}
