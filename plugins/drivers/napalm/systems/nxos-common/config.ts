/** `get_config` of NX-OS. */
import { configText, sanitizedConfigurations } from "../../common/config-text.ts";
import type { Getter } from "../../system.ts";
import type { NxosDevice } from "./device.ts";

/** Lines added by the show command. */
const headerLines = [/!Command: show .*$/, /!Time:.*\d{4}\s*$/, /Startup config saved at:.*$/];

export const getConfig: Getter<NxosDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  const wants = (kind: string) => retrieve === kind || retrieve === "all";
  const read = async (command: string) => configText(await device.text(command), headerLines);
  const configs = {
    running: wants("running") ? await read(`show running-config${full ? " all" : ""}`) : "",
    startup: wants("startup") ? await read("show startup-config") : "",
    candidate: "",
  };
  return sanitized ? sanitizedConfigurations(configs) : configs;
};
