/** `get_config`. */
import { sanitizedConfigurations } from "../../../common/config-text.ts";
import { linesOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";

export const getConfig: Getter<XrDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  const ask = async (kind: "running" | "candidate", command: string) =>
    retrieve === kind || retrieve === "all" ? withoutHead(await device.configuration(command)) : "";
  const configurations = {
    running: await ask("running", `show running-config${full ? " all" : ""}`),
    // The router has no separate startup configuration.
    startup: "",
    candidate: await ask("candidate", "show configuration merge"),
  };
  return sanitized ? sanitizedConfigurations(configurations) : configurations;
};

/** Replaces lines added by the show command with empty ones. */
function withoutHead(text: string): string {
  return linesOf(text)
    .map((line) => line.replace(/^(?:Building configuration|!! IOS XR Configuration).*$/, ""))
    .join("\n");
}
