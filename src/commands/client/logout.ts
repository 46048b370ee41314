/** `patchbay logout`: removes a context and its key. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { readContexts, requireContext, writeContexts } from "../../client/input/contexts.ts";
import { clientCommand, runToExit, type Surroundings } from "./parts/action.ts";

export function defineLogout(parent: Command): void {
  clientCommand(parent, "logout [name]", "remove a context with its key (default: the current one)").action(
    (name: string | undefined) => runToExit((surroundings) => logout(name, surroundings)),
  );
}

async function logout(
  namedContext: string | undefined,
  { environment, terminal }: Surroundings,
): Promise<number> {
  const savedContexts = readContexts(environment.contextsFile);
  const name = namedContext ?? environment.context ?? savedContexts.current;
  if (name === undefined) throw new ServiceError("Validation", "There is no current context.");
  requireContext(savedContexts, name);
  const { [name]: _forgotten, ...others } = savedContexts.contexts;
  const current = savedContexts.current === name ? {} : { current: savedContexts.current };
  writeContexts(environment.contextsFile, { ...current, contexts: others });
  terminal.note(
    `The context "${name}" was removed. Its key is still valid until an admin revokes it (DELETE /key).`,
  );
  return 0;
}
