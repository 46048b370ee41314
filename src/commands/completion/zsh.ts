/** Generates zsh completion: one function per command, using _arguments. */
import type { OptionInfo } from "../describe.ts";
import { namesFile, type Place, plainLine, spellings } from "./words.ts";

export function zshCompletion(places: readonly Place[]): string {
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
