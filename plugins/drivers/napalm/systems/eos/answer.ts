/** Error for a command that a switch refused. */
import { PluginError } from "patchbay/plugin";
import { type EapiRefusal, meaningOf } from "../../../shared/eos/eapi.ts";

export function refused(command: string, { code, text }: Pick<EapiRefusal, "code" | "text">): PluginError {
  return new PluginError("CommandError", `The switch refused "${command}": ${text} (${meaningOf(code)})`, {
    command,
    code,
    output: text,
  });
}
