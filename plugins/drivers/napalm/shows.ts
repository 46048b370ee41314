/** `get_config`: all parts in one answer, complete and with secrets. */
import type { AskedConfiguration, ConfigurationPart, ConfigurationQuery, ShownText } from "patchbay/plugin";
import { isRecord } from "patchbay/plugin";
import { type SystemName, systemNamed } from "./system-names.ts";

const command = "get_config";

/** The platform whose text `get_config` of a system returns; undefined: it returns XML. */
const platforms: Readonly<Record<SystemName, string | undefined>> = {
  eos: "arista_eos",
  ios: "cisco_ios",
  junos: "juniper_junos",
  nxos: "cisco_nxos",
  nxos_ssh: "cisco_nxos",
  iosxr: "cisco_xr",
  iosxr_netconf: undefined,
};
const withStartup: ReadonlySet<SystemName> = new Set(["eos", "ios", "nxos", "nxos_ssh"]);

export function shows({ platform: name, parts, find }: AskedConfiguration): ConfigurationQuery | undefined {
  const system = name === null ? undefined : systemNamed(name);
  if (system === undefined) return undefined;
  const shown = (["running", "startup"] as const).filter(
    (part) => parts.includes(part) && (part === "running" || withStartup.has(system)),
  );
  const [only] = shown;
  if (only === undefined) return undefined;
  const named = platforms[system];
  return {
    commands: [command],
    args: {
      kwargs: { [command]: { retrieve: shown.length > 1 ? "all" : only, full: false, sanitized: false } },
    },
    platform: named === undefined ? undefined : find(named),
    parts: shown,
    textsOf: ([answer]) => shown.flatMap((part) => shownText(part, answer)),
  };
}

function shownText(part: ConfigurationPart, answer: unknown): readonly ShownText[] {
  const text = isRecord(answer) ? answer[part] : undefined;
  return typeof text === "string" ? [{ part, command, text }] : [];
}
