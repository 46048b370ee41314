/** What a switch says to a command: its text, or why it refuses. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { type EapiRefusal, meaningOf } from "../../../shared/eapi.ts";

const textual = v.object({ output: v.string() });

export function textOf(result: unknown): string {
  const read = v.safeParse(textual, result);
  return read.success ? read.output.output : "";
}

export function refused(command: string, { code, text }: Pick<EapiRefusal, "code" | "text">): PluginError {
  return new PluginError("CommandError", `The switch refused "${command}": ${text} (${meaningOf(code)})`, {
    command,
    code,
    output: text,
  });
}
