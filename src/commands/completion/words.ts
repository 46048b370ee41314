/** What the three shells complete from: each command by its path, with its subcommands, options and arguments. */
import type { CommandInfo, OptionInfo } from "../describe.ts";

export interface Place {
  /** `patchbay key add`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly OptionInfo[];
  /** Whether an argument of it is a file. */
  readonly takesFile: boolean;
  /** Words of its first argument, where only some are allowed. */
  readonly choices: readonly string[];
}

export function placesOf(command: CommandInfo): Place[] {
  const here = {
    path: command.path,
    commands: command.commands.map(({ name, about }) => ({ name, about: firstSentence(about) })),
    options: command.options,
    takesFile: command.arguments.some(({ name }) => namesFile(name)),
    choices: command.arguments[0]?.choices ?? [],
  };
  return [here, ...command.commands.flatMap(placesOf)];
}

/** Whether a value of that name is a file or a folder. */
export function namesFile(name: string): boolean {
  return /file|folder|path|directory|source|from|^hosts$/i.test(name);
}

/** One line without what a shell would take for its own. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/["'`$\\[\]:;]/g, "");
}

function firstSentence(text: string): string {
  return text.split(/;|\. /)[0] ?? "";
}

export function spellings({ short, long }: OptionInfo): string[] {
  return [short, long].filter((one) => one !== undefined);
}
