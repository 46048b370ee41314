/** `get_config` of IOS. */
import { configText, sanitizedConfigurations } from "../../../common/config-text.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

/** Lines added by the show command. */
const headerLines = [
  /^Building configuration.*$/,
  /^Current configuration :.*$/,
  /^! Last configuration change at.*$/,
  /^! NVRAM config last updated at.*$/,
];

export const getConfig: Getter<IosDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  const wants = (kind: string) => retrieve === kind || retrieve === "all";
  const configs = {
    running: wants("running") ? await runningConfig(device, full) : "",
    startup: wants("startup") ? configText(await device.ask("show startup-config"), headerLines) : "",
    candidate: "",
  };
  return sanitized ? sanitizedConfigurations(configs) : configs;
};

/** @param full includes defaults */
export async function runningConfig(device: IosDevice, full = false): Promise<string> {
  return configText(await device.ask(`show running-config${full ? " all" : ""}`), headerLines);
}
