/** `patchbay completion`: prints shell completion, generated from the command definitions. */
import process from "node:process";
import { Argument, type Command } from "commander";
import { describeCommand } from "../describe.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { placesOf } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export function defineCompletion(parent: Command): void {
  parent
    .command("completion")
    .description("print the completion of this command line for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(shells) as (keyof typeof shells)[]))
    .action(
      (shell: keyof typeof shells) =>
        void process.stdout.write(shells[shell](placesOf(describeCommand(parent)))),
    );
}
