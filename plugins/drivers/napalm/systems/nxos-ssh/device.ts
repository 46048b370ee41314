/** Structured output at the NX-OS command line: a command piped to `json`. */
import { PluginError } from "patchbay/plugin";
import { readDeviceJson } from "../../../shared/device-json.ts";

/**
 * The parsed output of a command piped to `json`.
 * @throws PluginError CommandError if it was refused or is not JSON
 */
export function structureOf(command: string, output: string): unknown {
  const text = output.trim();
  if (text === "") return {};
  try {
    return readDeviceJson(text);
  } catch (cause) {
    if (cause instanceof PluginError) throw cause;
    const reason = text.split("\n").find((line) => line.startsWith("%")) ?? text.slice(0, 200);
    throw new PluginError(
      "CommandError",
      `"${command}" returned no structured output: ${reason.trim()}`,
      { command },
      { cause },
    );
  }
}
