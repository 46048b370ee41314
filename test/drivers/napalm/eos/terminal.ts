/** The switch's CLI, for a terminal over SSH. */
import type { CliDevice, TypedLine } from "../cli-server.ts";
import { Refusal, type SwitchModel } from "./model.ts";

const multiline = /^(?:banner \S+|comment)$/;
const structured = / \| json$/;

export function terminalOf(model: SwitchModel): CliDevice {
  return {
    login() {
      const run = model.shell();
      let session = "";

      async function inputOf({ text, ask }: TypedLine): Promise<string> {
        if (session === "" || !multiline.test(text)) return "";
        const lines = [await ask("Enter TEXT message. Type 'EOF' on its own line to end.\r\n")];
        while (lines.at(-1) !== "EOF") lines.push(await ask(""));
        return lines.slice(0, -1).join("\n");
      }

      return {
        prompt: () => `sw1${session === "" ? "" : `(config-s-${session.slice(0, 6)})`}#`,
        async enter(line) {
          const { text } = line;
          if (text.trim() === "" || /^(?:terminal|enable\b)/.test(text)) return "";
          try {
            const said = run(text.replace(structured, ""), await inputOf(line));
            session = /^configure session (\S+)$/.exec(text)?.[1] ?? (text === "end" ? "" : session);
            return typeof said === "string" ? said.trimEnd() : JSON.stringify(said, null, 4);
          } catch (error) {
            if (error instanceof Refusal) return `% ${error.message}`;
            throw error;
          }
        },
      };
    },
  };
}
