/** get_config. */
import { PluginError } from "patchbay/plugin";
import { withoutCiscoSecrets } from "../../common/cisco-secrets.ts";
import type { Getter } from "./device.ts";

const removed = "<removed>";

/** Lines that the switch itself sanitizes in the running configuration only. */
const secrets: readonly RegExp[] = [
  /^(\s*snmp-server (?:community|user) ).*$/gm,
  /^(\s*snmp-server host \S+(?: vrf \S+)?(?: version \S+)? )\S+/gm,
  /^(.*\b(?:secret|password|key|passphrase|authentication-key)(?: (?:0|5|7|8a|sha512|type-\d|encrypted))+ )\S+/gm,
  /^(\s*(?:secret|password|key-string|passphrase) )\S+$/gm,
];

/** Applies NAPALM's rules for Cisco secrets, plus those specific to the switch. */
function sanitized(config: string): string {
  const end = config.endsWith("\n") ? "\n" : "";
  return secrets.reduce(
    (text, pattern) => text.replace(pattern, `$1${removed}`),
    `${withoutCiscoSecrets(config)}${end}`,
  );
}

export const get_config: Getter<"get_config"> = async (
  device,
  { retrieve, full, sanitized: clean, format },
) => {
  if (format !== "text" && format !== "json")
    throw new PluginError("DriverError", `get_config: the formats of eos are text and json, not ${format}.`, {
      outcome: "none",
    });
  const wants = (kind: string) => retrieve === "all" || retrieve === kind;
  const allKeyword = full ? " all" : "";
  const ask = async (command: string): Promise<string> => {
    if (format === "text") return (await device.text(command))[0] ?? "";
    return JSON.stringify((await device.json(command))[0]);
  };
  const [startup, running] = await Promise.all([
    wants("startup") ? ask("show startup-config") : "",
    wants("running") ? ask(`show running-config${allKeyword}${clean ? " sanitized" : ""}`) : "",
  ]);
  // A candidate exists only during a change; between jobs there is none.
  return { startup: clean ? sanitized(startup) : startup, running, candidate: "" };
};
