/** Runs Cisco commands that may ask for confirmation, and answers each question so that the command proceeds. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { boundedText } from "./bounded.ts";

/** `Destination filename [x]?`, `[confirm]`: accepts the default. `[no]:`, `(y/n)`: yes. */
const proposal = /(?:\]\?|\[confirm\])[ \t]*$/i;
const yesOrNo = /(?:\[(?:yes|no|y\/n)\]\s?:?|\(y(?:es)?\/n(?:o)?\)[^\n]{0,20})[ \t]*$/i;
/** A prompt contains a letter or digit and no bracket; progress bars are not prompts. */
const promptLine = /(?:^|\n)(?=[^\n]*[A-Za-z0-9])[^\s#>[\]]{1,200}[#>][ \t]*$/;
const anyEnd = new RegExp(`${proposal.source}|${yesOrNo.source}|${promptLine.source}`, "i");
/** A device with more questions is repeating one. */
const maxQuestions = 8;

/** The whole output up to the prompt, including questions. */
export async function answered(
  cli: CliSession,
  command: string,
  { readTimeoutMs }: { readonly readTimeoutMs: number },
  ctx: Context,
): Promise<string> {
  const options = { expect: anyEnd, readTimeoutMs, stripPrompt: false };
  let output = await cli.send(command, options, ctx);
  for (let questions = 0; !promptLine.test(output); questions++) {
    if (questions === maxQuestions) {
      throw new PluginError("CommandError", `The device keeps asking after "${command}".`, {
        command,
        output,
      });
    }
    const reply = yesOrNo.test(output) ? "yes" : "";
    output += `\n${await cli.send(reply, { ...options, verifyEcho: false, stripCommand: false }, ctx)}`;
  }
  return boundedText(output.replace(promptLine, "").trim());
}
