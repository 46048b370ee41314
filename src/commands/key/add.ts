/** `patchbay key add`: makes an API key and prints it once. */
import process from "node:process";
import type { Command } from "commander";
import { makeApiKey } from "../../auth/keys.ts";
import type { Scope } from "../../auth/port.ts";
import { scopes } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { patternProblem } from "../../base/host-pattern.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";

const dayMs = 86_400_000;

interface AddOptions {
  readonly scope: string;
  readonly hosts?: string;
  readonly expires?: string;
}

export function defineAdd(key: Command): void {
  withSettings(key.command("add <name>").description("make an API key and print it once"), storeSettings)
    .option("--scope <scope>", "read, operate or admin", "operate")
    .option("--hosts <patterns>", "device hosts it may reach: names, wildcards, CIDR; comma-separated")
    .option("--expires <days>", "days until it expires")
    .action((name: string, options: AddOptions, command: Command) =>
      addKey(configOf(command), name, options),
    );
}

async function addKey(config: Config, name: string, options: AddOptions): Promise<void> {
  const scope = scopeOf(options.scope);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new ServiceError("Validation", "The name of a key must be letters, digits, `.`, `_` and `-`.");
  }
  const days = options.expires === undefined ? undefined : Number(options.expires);
  if (days !== undefined && !(days > 0))
    throw new ServiceError("Validation", "--expires must be a number of days.");
  const hosts = hostsOf(options.hosts ?? "");
  const expiresAt = days === undefined ? undefined : Date.now() + days * dayMs;
  const { withStore } = await loadStore(config.values.data_dir);
  actAsOwner(config.values.data_dir);
  const key = makeApiKey();
  const id = await withStore(config, silentLog, (store) =>
    store.keys.add({ name, key, scope, hosts, expiresAt }, atCommandLine()),
  );
  if (id === undefined) throw new ServiceError("Conflict", `There is a key named "${name}" already.`);
  print(key);
  process.stderr.write(`The key "${name}" (${scope}) is shown once: only its hash is stored.\n`);
}

function hostsOf(text: string): string[] {
  const hosts = text
    .split(",")
    .map((host) => host.trim())
    .filter(Boolean);
  const problem = hosts.map(patternProblem).find((found) => found !== undefined);
  if (problem !== undefined) throw new ServiceError("Validation", `--hosts: ${problem}.`);
  return hosts;
}

function scopeOf(text: string): Scope {
  const scope = scopes.find((name) => name === text);
  if (!scope) throw new ServiceError("Validation", `--scope must be one of ${scopes.join(", ")}.`);
  return scope;
}
