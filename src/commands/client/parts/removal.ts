/** Removes what is named, after confirmation at the terminal. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { type anything, text } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { withApi, withServer } from "./action.ts";

export interface RemovalFlags {
  readonly yes?: boolean;
}

export function withConfirmation(command: Command): Command {
  return command.option("--yes", "do not ask");
}

interface Removal {
  /** Of what the arguments of the command name. */
  readonly path: (...names: string[]) => string;
  /** As the question calls it; default: the last name. */
  readonly called?: (name: string) => string;
  readonly answer?: typeof anything | typeof text;
}

/** @param command with the names as arguments */
export function defineRemoval(command: Command, { path, called, answer = text }: Removal): void {
  const remove = withConfirmation(withServer(command));
  remove.action(() => {
    const flags = remove.opts<ServerFlags & RemovalFlags>();
    const names = remove.processedArgs.map(String);
    const name = names.at(-1) ?? "";
    return withApi(flags, async ({ api, terminal }) => {
      await confirmRemoval(called?.(name) ?? name, flags, terminal);
      await api.call(path(...names), answer, { method: "DELETE" });
      terminal.note(`${name} is removed.`);
    });
  });
}

/** @throws ServiceError Validation without a terminal; Cancelled */
export async function confirmRemoval(
  name: string,
  { yes }: RemovalFlags,
  terminal: Pick<Terminal, "isAttended" | "ask">,
): Promise<void> {
  if (yes === true) return;
  if (!terminal.isAttended)
    throw new ServiceError("Validation", "A removal needs confirmation at a terminal: use --yes.");
  const answer = await terminal.ask(`Remove ${name}? Type yes: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was removed.");
}
