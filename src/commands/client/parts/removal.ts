/** Asks for confirmation at the terminal before something is removed. */
import { ServiceError } from "../../../base/errors.ts";
import type { Terminal } from "../../../client/output/terminal.ts";

/** @throws ServiceError Validation without a terminal; Cancelled */
export async function confirmRemoval(
  name: string,
  { yes }: { readonly yes?: boolean },
  terminal: Pick<Terminal, "isAttended" | "ask">,
): Promise<void> {
  if (yes === true) return;
  if (!terminal.isAttended)
    throw new ServiceError("Validation", "A removal needs confirmation at a terminal: use --yes.");
  const answer = await terminal.ask(`Remove ${name}? Type yes: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ServiceError("Cancelled", "Nothing was removed.");
}
