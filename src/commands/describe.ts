/** Describes the command line as data, for shell completion and the manual page. */
import type { Argument, Command, Option } from "commander";

export interface CommandInfo {
  readonly name: string;
  /** The full path: `patchbay key add`. */
  readonly path: string;
  readonly about: string;
  /** Usage without the path: `[options] <name>`. */
  readonly usage: string;
  readonly arguments: readonly ArgumentInfo[];
  /** Visible options including `--help`, in order. */
  readonly options: readonly OptionInfo[];
  readonly commands: readonly CommandInfo[];
}

export interface ArgumentInfo {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly choices: readonly string[];
}

export interface OptionInfo {
  /** As in `--help`: `-c, --command <text...>`. */
  readonly flags: string;
  /** As in `-c`. */
  readonly short?: string;
  /** As in `--command`. */
  readonly long?: string;
  /** Name of its value, as `text`; absent: it takes none. */
  readonly value?: string;
  readonly about: string;
  readonly choices: readonly string[];
  readonly default?: string;
}

export function describeCommand(command: Command, above = ""): CommandInfo {
  const path = `${above} ${command.name()}`.trim();
  const help = command.createHelp();
  return {
    name: command.name(),
    path,
    about: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map(argumentInfo),
    options: help.visibleOptions(command).map(optionInfo),
    // Skips commander's built-in `help`.
    commands: help
      .visibleCommands(command)
      .filter((subcommand) => subcommand.name() !== "help")
      .map((subcommand) => describeCommand(subcommand, path)),
  };
}

function argumentInfo(argument: Argument): ArgumentInfo {
  return {
    name: argument.name(),
    about: argument.description,
    required: argument.required,
    variadic: argument.variadic,
    choices: argument.argChoices ?? [],
  };
}

function optionInfo(option: Option): OptionInfo {
  const value = /[<[]([^>\].]+)/.exec(option.flags)?.[1];
  const defaultValue: unknown = option.defaultValue;
  return {
    flags: option.flags,
    short: option.short,
    long: option.long,
    value,
    about: option.description,
    choices: option.argChoices ?? [],
    ...(typeof defaultValue === "string" || typeof defaultValue === "number"
      ? { default: String(defaultValue) }
      : {}),
  };
}
