/** The input of all completion generators: commands by path, with subcommands, options and arguments. */
import type { CommandInfo, OptionInfo } from "../describe.ts";

export interface Place {
  /** As in `patchbay key add`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly OptionInfo[];
  /** Whether it has a file argument. */
  readonly takesFile: boolean;
  /** Allowed values of its first argument, if limited. */
  readonly choices: readonly string[];
}

export function placesOf(command: CommandInfo): Place[] {
  const place = {
    path: command.path,
    commands: command.commands.map(({ name, about }) => ({ name, about: firstSentence(about) })),
    options: command.options,
    takesFile: command.arguments.some(({ name }) => namesFile(name)),
    choices: command.arguments[0]?.choices ?? [],
  };
  return [place, ...command.commands.flatMap(placesOf)];
}

/** Whether a value of this name is a path. */
export function namesFile(name: string): boolean {
  return /file|folder|path|directory|source|from|^hosts$/i.test(name);
}

/** A single line without shell metacharacters. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/["'`$\\[\]:;]/g, "");
}

function firstSentence(text: string): string {
  return text.split(/;|\. /)[0] ?? "";
}

export function spellings({ short, long }: OptionInfo): string[] {
  return [short, long].filter((spelling) => spelling !== undefined);
}
