/** Generates fish completion: one line per command and option. */
import { namesFile, type Place, plainLine } from "./words.ts";

export function fishCompletion(places: readonly Place[]): string {
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
