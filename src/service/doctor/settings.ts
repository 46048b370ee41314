/** Checks the operator's configuration: settings, plugins, certificate. */
import { messageOf } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { unusedSettings } from "../../registry/settings.ts";
import { checkSettings, settingWarnings } from "../check.ts";
import { configuredPlugins } from "../plugins.ts";
import type { Program } from "../program.ts";
import { identityFacts, readIdentity, tlsFiles } from "../tls.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

export function checkSettingsAsServed(config: Config): Finding[] {
  const check = "settings";
  try {
    checkSettings(config);
  } catch (error) {
    return [fail(check, messageOf(error), "`patchbay serve` refuses to start with them.")];
  }
  const warnings = settingWarnings(config).map((text) => warn(check, text, "Change it."));
  return warnings.length > 0 ? warnings : [ok(check, "are accepted by `patchbay serve`")];
}

export async function checkPlugins(config: Config, program: Program): Promise<Finding[]> {
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

export function checkCertificate(config: Config): Finding[] {
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
