/** `patchbay completion`: prints shell completion, generated from the command definitions. */
import process from "node:process";
import { Argument, type Command } from "commander";
import { describeCommand, type OptionInfo } from "../describe.ts";
import { bashCompletion } from "./bash.ts";
import { namesFile, type Place, placesOf, plainLine, spellings } from "./words.ts";

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

/** Generates fish completion: one line per command and option. */
function fishCompletion(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, takesFile, choices }) => {
    const condition = `-n '__patchbay_at ${path.split(" ").slice(1).join(" ")}'`;
    return [
      ...commands.map(
        ({ name, about }) => `complete -c patchbay ${condition} -f -a ${name} -d '${plainLine(about)}'`,
      ),
      ...(choices.length > 0 ? [`complete -c patchbay ${condition} -f -a '${choices.join(" ")}'`] : []),
      ...(commands.length === 0 && choices.length === 0 && !takesFile
        ? [`complete -c patchbay ${condition} -f`]
        : []),
      ...options.map(({ short, long, value, about, choices: words }) => {
        const flags = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`].filter(Boolean);
        const argument =
          words.length > 0 ? `-x -a '${words.join(" ")}'` : namesFile(value ?? "") ? "-r -F" : "-x";
        return `complete -c patchbay ${condition} ${flags.join(" ")}${value === undefined ? "" : ` ${argument}`} -d '${plainLine(about)}'`;
      }),
    ];
  });
  const quotedPaths = places.map(({ path }) => `'${path.split(" ").slice(1).join(" ")}'`);
  return `# fish completion of patchbay: patchbay completion fish | source
function __patchbay_at
    set -l place ''
    for word in (commandline -opc)[2..]
        # Words after -- belong to the device's command.
        test "$word" = --; and return 1
        set -l further (string trim -- "$place $word")
        contains -- "$further" ${quotedPaths.join(" ")}; and set place $further
    end
    test "$place" = "$argv"
end

${lines.join("\n")}
`;
}

/** Generates zsh completion: one function per command, using _arguments. */
function zshCompletion(places: readonly Place[]): string {
  const functions = places.map((place) => {
    const name = functionOf(place.path);
    const options = place.options.flatMap((option) => spellings(option).map((flag) => specOf(flag, option)));
    if (place.commands.length === 0) {
      const rest = place.choices.length > 0 ? `'1:word:(${place.choices.join(" ")})'` : restOf(place);
      return `${name}() {\n  _arguments -s -S \\\n    ${[...options, rest].join(" \\\n    ")}\n}`;
    }
    const rows = place.commands.map(
      (subcommand) => `    '${subcommand.name}:${plainLine(subcommand.about)}'`,
    );
    const cases = place.commands.map(
      (subcommand) => `        ${subcommand.name}) ${functionOf(`${place.path} ${subcommand.name}`)} ;;`,
    );
    return `${name}() {
  local line state
  local -a commands=(
${rows.join("\n")}
  )
  _arguments -C -s \\
    ${[...options, "'1: :->command'", "'*:: :->rest'"].join(" \\\n    ")}
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${cases.join("\n")}
      esac ;;
  esac
}`;
  });
  return `#compdef patchbay
# zsh completion of patchbay: patchbay completion zsh > a folder of $fpath, as _patchbay

${functions.join("\n\n")}

if [ "$funcstack[1]" = _patchbay ]; then _patchbay "$@"; else compdef _patchbay patchbay; fi
`;
}

function specOf(flag: string, option: OptionInfo): string {
  const about = `[${plainLine(option.about)}]`;
  if (option.value === undefined) return `'${flag}${about}'`;
  const action =
    option.choices.length > 0 ? `(${option.choices.join(" ")})` : namesFile(option.value) ? "_files" : " ";
  return `'*${flag}${about}:${plainLine(option.value)}:${action}'`;
}

function restOf({ takesFile }: Place): string {
  return takesFile ? "'*:file:_files'" : "'*: :'";
}

function functionOf(path: string): string {
  return `_${path.replaceAll(/[ -]/g, "_")}`;
}
