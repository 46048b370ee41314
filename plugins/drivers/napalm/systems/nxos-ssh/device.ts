/** Structures at the command line of NX-OS: a command piped to `json`. */
import { PluginError } from "patchbay/plugin";
import { readDeviceJson } from "../../../shared/device-json.ts";

/**
 * What a command piped to `json` gave.
 * @throws PluginError CommandError: a refusal, or what is no JSON
 */
export function structureOf(command: string, output: string): unknown {
  const text = output.trim();
  if (text === "") return {};
  try {
    return readDeviceJson(text);
  } catch (cause) {
    if (cause instanceof PluginError) throw cause;
    const said = text.split("\n").find((line) => line.startsWith("%")) ?? text.slice(0, 200);
    throw new PluginError(
      "CommandError",
      `"${command}" gave no structure: ${said.trim()}`,
      { command },
      { cause },
    );
  }
}
