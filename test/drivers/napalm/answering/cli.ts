/** A command line over SSH that answers with given texts; it rejects other commands as IOS and NX-OS do. */
import { startCliServer } from "../cli-server.ts";
import type { AnsweringDevice, Answers } from "./answers.ts";

const invalid = "                 ^\n% Invalid input detected at '^' marker.\n";

export async function startCli(answers: Answers, prompt: string): Promise<AnsweringDevice> {
  const server = await startCliServer({
    login: () => ({
      prompt: () => prompt,
      async enter({ text }) {
        if (text.trim() === "" || /^(?:terminal |enable$)/.test(text)) return "";
        return answers.to(text.trim())?.replace(/\n$/, "") ?? invalid;
      },
    }),
  });
  return { port: server.port, asked: server.typed, close: server.close };
}
