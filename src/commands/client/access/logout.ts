/** `patchbay logout`: removes a context, and ends its key if `patchbay login` had it made. */

import type { Command } from "commander";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import {
  type Contexts,
  readContexts,
  requireContext,
  writeContexts,
} from "../../../client/input/contexts.ts";
import { text } from "../../../client/service/answers.ts";
import { createApi } from "../../../client/service/api.ts";
import { chooseServer } from "../../../client/service/server.ts";
import { clientCommand, runToExit, type Surroundings } from "../parts/action.ts";

export function defineLogout(parent: Command): void {
  const about =
    "remove a context with its key (default: the current one); a key that `login` had made is revoked";
  clientCommand(parent, "logout [name]", about).action((name: string | undefined) =>
    runToExit((surroundings) => logout(name, surroundings)),
  );
}

async function logout(namedContext: string | undefined, surroundings: Surroundings): Promise<number> {
  const { environment, terminal } = surroundings;
  const savedContexts = readContexts(environment.contextsFile);
  const name = namedContext ?? environment.context ?? savedContexts.current;
  if (name === undefined) throw new ServiceError("Validation", "There is no current context.");
  const context = requireContext(savedContexts, name);
  const isOwn = context.own === true;
  const isRevoked = isOwn && (await revokeOwnKey(name, savedContexts, surroundings));
  const { [name]: _forgotten, ...others } = savedContexts.contexts;
  const current = savedContexts.current === name ? {} : { current: savedContexts.current };
  writeContexts(environment.contextsFile, { ...current, contexts: others });
  const stays = isOwn
    ? "Its key stays valid until you revoke it in the console (My keys), or it expires."
    : "Its key is still valid until an admin revokes it (DELETE /key).";
  terminal.note(
    `The context "${name}" was removed. ${isRevoked ? "Its key was revoked at the service." : stays}`,
  );
  return 0;
}

/** @returns whether it was revoked; says why not */
export async function revokeOwnKey(
  name: string,
  contexts: Contexts,
  { environment, terminal }: Surroundings,
): Promise<boolean> {
  try {
    const server = chooseServer({ context: name }, environment, contexts);
    await createApi({ server, waitMs: 0 }).call("/person/me/key/current", text, { method: "DELETE" });
    return true;
  } catch (error) {
    terminal.note(`The key of the context "${name}" was not revoked: ${messageOf(error)}`);
    return false;
  }
}
