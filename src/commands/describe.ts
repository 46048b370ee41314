/** The command line as data: what the completion of shells and the manual page are made from. */
import type { Argument, Command, Option } from "commander";

export interface CommandInfo {
  readonly name: string;
  /** With the commands above it: `patchbay key add`. */
  readonly path: string;
  readonly about: string;
  /** How it is called, without its path: `[options] <name>`. */
  readonly usage: string;
  readonly arguments: readonly ArgumentInfo[];
  /** Those that are told by `--help`, itself included; in their order. */
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
  /** As `--help` shows them: `-c, --command <text...>`. */
  readonly flags: string;
  /** `-c`, where there is one. */
  readonly short?: string;
  /** `--command`, where there is one. */
  readonly long?: string;
  /** What its value is called: `text`; absent: it takes none. */
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
    // `help` is commander's own and says what `--help` says.
    commands: help
      .visibleCommands(command)
      .filter((one) => one.name() !== "help")
      .map((one) => describeCommand(one, path)),
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
  const given: unknown = option.defaultValue;
  return {
    flags: option.flags,
    ...(option.short === undefined ? {} : { short: option.short }),
    ...(option.long === undefined ? {} : { long: option.long }),
    ...(value === undefined ? {} : { value }),
    about: option.description,
    choices: option.argChoices ?? [],
    ...(typeof given === "string" || typeof given === "number" ? { default: String(given) } : {}),
  };
}
