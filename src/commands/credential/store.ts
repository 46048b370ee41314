/** Opens the store for credential commands, and parses credential names. */
import type { Command } from "commander";
import { nameProblem, ownSource } from "../../api/credential.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/owner.ts";
import type { Store } from "../../store/port.ts";

export interface SourceOption {
  readonly source: string;
}

export function withSource(command: Command): Command {
  return command.option("--source <name>", "its credential source", ownSource);
}

export function checkName(ref: string, { source }: SourceOption): { ref: string; source: string } {
  for (const [what, problem] of [
    ["The name of a credential", nameProblem("ref", ref)],
    ["--source", nameProblem("source", source)],
  ] as const)
    if (problem !== undefined) throw new ServiceError("Validation", `${what} ${problem}.`);
  return { ref, source };
}

/** Works with or without a running service. */
export async function inStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  return withStore(config, silentLog, work);
}
