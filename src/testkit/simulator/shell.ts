/** State of a shell between commands: its directory, its variables, its umask. */

export interface Shell {
  /** Returns the output; undefined if the line is not a builtin of the shell. */
  run(line: string): string | undefined;
  /** As the prompt shows it. */
  directory(): string;
  /** A shell started from this one. */
  inherit(): Shell;
}

interface State {
  directory: string;
  umask: string;
  readonly variables: Map<string, string>;
}

const home = "/home/user";

export function createShell(state: State = { directory: home, umask: "0022", variables: new Map() }): Shell {
  const { variables } = state;

  function changeTo(where: string): string {
    const parts = where.startsWith("/") ? [] : state.directory.split("/");
    const path = where === "~" ? home.split("/") : [...parts, ...where.split("/")];
    const kept: string[] = [];
    for (const part of path) {
      if (part === "..") kept.pop();
      else if (part !== "" && part !== ".") kept.push(part);
    }
    state.directory = `/${kept.join("/")}`;
    return "";
  }

  return {
    run(line) {
      const [word = "", argument = ""] = line.split(/\s+/, 2);
      if (word === "cd") return changeTo(argument === "" ? "~" : argument);
      if (word === "pwd") return state.directory;
      if (word === "umask") {
        if (argument === "") return state.umask;
        state.umask = argument.padStart(4, "0");
        return "";
      }
      const set = /^(?:export\s+)?([A-Za-z_]\w*)=(\S*)$/.exec(line);
      if (set?.[1] !== undefined) {
        variables.set(set[1], set[2] ?? "");
        return "";
      }
      if (word === "unset") {
        variables.delete(argument);
        return "";
      }
      if (word !== "echo") return undefined;
      return line.slice(5).replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables.get(name) ?? "");
    },
    directory: () => (state.directory === home ? "~" : state.directory),
    inherit: () => createShell({ ...state, variables: new Map(variables) }),
  };
}
