/** `patchbay context`: lists the known servers, and selects the active one. */
import type { Command } from "commander";
import { readContexts, requireContext, writeContexts } from "../../client/input/contexts.ts";
import { clientCommand, runToExit, type Surroundings } from "./parts/action.ts";
import { type FormFlags, printList, withForms } from "./parts/lists.ts";

export function defineContext(parent: Command): void {
  withForms(
    clientCommand(parent, "context [name]", "list the known servers; with a name: switch to it"),
  ).action((name: string | undefined, flags: FormFlags) =>
    runToExit((surroundings) =>
      name === undefined ? listContexts(flags, surroundings) : useContext(name, surroundings),
    ),
  );
}

async function listContexts(flags: FormFlags, { environment, terminal }: Surroundings): Promise<number> {
  const savedContexts = readContexts(environment.contextsFile);
  const current = environment.context ?? savedContexts.current;
  const rows = Object.entries(savedContexts.contexts).map(
    ([name, { url, key_file, key_command, insecure }]) => ({
      name,
      url,
      in_force: name === current,
      key: key_file ?? (key_command === undefined ? "kept here" : `$(${key_command})`),
      certificate: insecure === true ? "not checked" : "checked",
    }),
  );
  const columns = {
    "": ({ in_force }: (typeof rows)[number]) => (in_force ? "*" : ""),
    name: ({ name }: (typeof rows)[number]) => name,
    url: ({ url }: (typeof rows)[number]) => url,
    key: ({ key }: (typeof rows)[number]) => key,
    certificate: ({ certificate }: (typeof rows)[number]) => certificate,
  };
  await printList(rows, columns, flags, terminal);
  return 0;
}

async function useContext(name: string, { environment, terminal }: Surroundings): Promise<number> {
  const savedContexts = readContexts(environment.contextsFile);
  const { url } = requireContext(savedContexts, name);
  writeContexts(environment.contextsFile, { ...savedContexts, current: name });
  terminal.note(`The current context is "${name}": ${url}.`);
  return 0;
}
