/** Generates bash completion: a table of commands, and a function that finds the current one. */
import { namesFile, type Place, spellings } from "./words.ts";

export function bashCompletion(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, options, takesFile, choices }) => {
    const words = [...commands.map(({ name }) => name), ...choices, ...options.flatMap(spellings)];
    return `    ${JSON.stringify(path)}) words=${JSON.stringify(words.join(" "))} files=${takesFile ? 1 : 0} ;;`;
  });
  const values = places.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .flatMap((option) =>
        spellings(option).map((flag) => {
          const files = option.choices.length === 0 && namesFile(option.value ?? "");
          const words = option.choices.join(" ");
          return `    ${JSON.stringify(`${path} ${flag}`)}) words=${JSON.stringify(words)} files=${files ? 1 : 0} ;;`;
        }),
      ),
  );
  const pathCases = places.map(({ path }) => `    ${JSON.stringify(path)}) return 0 ;;`);
  return `# bash completion of patchbay: source <(patchbay completion bash)
_patchbay_is_place() {
  case "$1" in
${pathCases.join("\n")}
  esac
  return 1
}

_patchbay_place() {
  words= files=0
  case "$1" in
${cases.join("\n")}
  esac
}

_patchbay_value() {
  words= files=0
  case "$1" in
${values.join("\n")}
    *) return 1 ;;
  esac
}

_patchbay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place=patchbay at words files
  for ((at = 1; at < COMP_CWORD; at++)); do
    # Words after -- belong to the device's command.
    [[ "\${COMP_WORDS[at]}" == -- ]] && return
    _patchbay_is_place "$place \${COMP_WORDS[at]}" && place="$place \${COMP_WORDS[at]}"
  done
  COMPREPLY=()
  _patchbay_value "$place $before" || _patchbay_place "$place"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if ((files)); then
    local found
    mapfile -t found < <(compgen -f -- "$current")
    COMPREPLY+=("\${found[@]}")
    compopt -o filenames 2> /dev/null
  fi
}
complete -F _patchbay patchbay
`;
}
