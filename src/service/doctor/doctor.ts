/** Checks everything that a node needs and reports each part with advice. Writes only the store's probe row. */

import { existsSync } from "node:fs";
import { cronPeriodMs, cronProblem } from "../../backup/schedule.ts";
import { messageOf } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { unusedSettings } from "../../registry/settings.ts";
import { lastFailure, newestBackup } from "../backup/scheduled.ts";
import { isUnfinished } from "../backup/unfinished.ts";
import { checkSettings, settingWarnings } from "../check.ts";
import { configuredPlugins } from "../plugins/plugins.ts";
import type { Program } from "../program.ts";
import { identityFacts, readIdentity, tlsFiles } from "../tls/tls.ts";
import { checkDatabase } from "./database.ts";
import { type Check, type Finding, fail, ok, warn } from "./finding.ts";
import { checkClock, checkDataDirectory, checkDescriptors } from "./machine.ts";
import { checkDevices, checkListening, checkProviders } from "./network.ts";

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
    "sign-in": () => (isQuick ? [] : checkProviders(config)),
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

/** Checks the state of backups. */
const hourMs = 3_600_000;

function checkBackups({ values, timeZone }: Config, now = Date.now()): Finding[] {
  const check = "backups";
  const { backup_cron: cron, backup_folder: folder, data_dir } = values;
  if (existsSync(data_dir) && isUnfinished(data_dir))
    return [
      fail(check, "a restore was interrupted", "Run `patchbay restore` again, or empty the data directory."),
    ];
  if (values.database_url) return [];
  if (cron === undefined || folder === undefined || cronProblem(cron) !== undefined) {
    const advice =
      "Set PATCHBAY_BACKUP_CRON and PATCHBAY_BACKUP_FOLDER, or run `patchbay backup` from elsewhere.";
    return [warn(check, "none are scheduled", advice)];
  }
  const failure = lastFailure(folder);
  if (failure !== undefined)
    return [fail(check, `the last one failed: ${failure}`, "Fix that and try `patchbay backup <file>`.")];
  const newest = newestBackup(folder);
  if (newest === undefined) return [warn(check, `there is none in ${folder} yet`, "Wait for the first.")];
  const ageMs = now - newest * 1000;
  const text = `the newest in ${folder} is ${Math.round(ageMs / hourMs)} h old`;
  const late = ageMs > 2 * cronPeriodMs(cron, timeZone) + hourMs;
  return [
    late
      ? warn(
          check,
          text,
          "Check that the service runs all the time, and look for `backup.failed` in its log.",
        )
      : ok(check, text),
  ];
}

/** Checks the operator's configuration: settings, plugins, certificate. */
function checkSettingsAsServed(config: Config): Finding[] {
  const check = "settings";
  try {
    checkSettings(config);
  } catch (error) {
    return [fail(check, messageOf(error), "`patchbay serve` refuses to start with them.")];
  }
  const warnings = settingWarnings(config).map((text) => warn(check, text, "Change it."));
  return warnings.length > 0 ? warnings : [ok(check, "are accepted by `patchbay serve`")];
}

async function checkPlugins(config: Config, program: Program): Promise<Finding[]> {
  const check = "plugins";
  const registry = await configuredPlugins(config, silentLog, program);
  const own = registry.all().filter((plugin) => registry.originOf(plugin) !== "builtin").length;
  const refused = registry
    .refusals()
    .map(({ plugin, reason }) =>
      fail(check, `${plugin} is refused: ${reason}`, "Fix or remove it: `patchbay plugin check <file>`."),
    );
  const unused = unusedSettings(config.pluginSettings, registry.all()).map((name) =>
    warn(check, `${name} is not a setting of any plugin`, "Remove it, or check its name for a typo."),
  );
  const found = [...refused, ...unused];
  return found.length > 0 ? found : [ok(check, `${own} besides the built-in ones`)];
}

function checkCertificate(config: Config): Finding[] {
  const check = "certificate";
  const files = tlsFiles(config);
  if (files === undefined) {
    if (/^(?:127\.|\[::1\]|localhost:|unix:)/.test(config.values.listen)) return [];
    const advice = "Set tls_cert and tls_key, or tls_self_signed, unless a proxy terminates TLS.";
    return [warn(check, `${config.values.listen} is reachable from other machines without HTTPS`, advice)];
  }
  try {
    const { fingerprint, ends, warning } = identityFacts(readIdentity(files));
    if (warning === undefined) return [ok(check, `until ${ends}, SHA-256 ${fingerprint}`)];
    return [warn(check, `${files.cert}: ${warning}`, "Renew it: the service reloads it automatically.")];
  } catch (error) {
    if (config.values.tls_self_signed) return [ok(check, "is created by the first start")];
    return [fail(check, messageOf(error), "`patchbay serve` refuses to start with it.")];
  }
}
