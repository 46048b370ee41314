/** The configuration of IOS XR as CLI text or as XML of its models. */
import { formatXml, PluginError, type XmlElement, xml } from "patchbay/plugin";
import { sanitizedConfigurations } from "../../../common/config-text.ts";
import type { Getter } from "../../../system.ts";
import type { Encoding, XrDevice } from "../device.ts";
import { cliModel, getConfigOperation } from "../operations.ts";

export const get_config: Getter<XrDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  if (full)
    throw new PluginError(
      "DriverError",
      "get_config: iosxr_netconf does not support the full configuration (full).",
      {
        outcome: "none",
      },
    );
  const read = async (source: "running" | "candidate") =>
    retrieve === "all" || retrieve === source
      ? configurationOf(await device.ask(readOperation(source, device.encoding)), device.encoding)
      : "";
  const [running, candidate] = await Promise.all([read("running"), read("candidate")]);
  const configs = { running, candidate, startup: "" };
  return sanitized ? sanitizedConfigurations(configs) : configs;
};

export function readOperation(source: "running" | "candidate", encoding: Encoding) {
  return encoding === "cli"
    ? getConfigOperation(source, xml("cli", { xmlns: cliModel }))
    : getConfigOperation(source);
}

export function configurationOf(reply: XmlElement, encoding: Encoding): string {
  if (encoding === "cli") return reply.textOf("data/cli");
  const data = reply.find("data");
  return data === undefined ? "" : formatXml(data);
}
