/** `patchbay key add|list|revoke|rotate-master`. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import process from "node:process";
import { type Scope, scopes } from "../../auth/caller.ts";
import { makeApiKey } from "../../auth/keys.ts";
import { ServiceError } from "../../base/errors.ts";
import { patternProblem } from "../../base/host-pattern.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadMasterKeys, masterKeyFile, writeMasterKeys } from "../../service/master-key.ts";
import { actAsOwner } from "../../service/owner.ts";
import { demandDatabase, withStore } from "../../service/store.ts";
import type { Actor } from "../../store/libsql/audit.ts";

const dayMs = 86_400_000;
/** Whoever may write into the data directory may make keys: the audit trail says under which account. */
function atCommandLine(): Actor {
  return { keyId: "command line", name: accountName(), from: null };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

export async function addKey(config: Config, name: string, options: Record<string, string>): Promise<void> {
  const scope = scopeOf(options.scope);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new ServiceError("Validation", "The name of a key must be letters, digits, `.`, `_` and `-`.");
  }
  const days = options.expires === undefined ? undefined : Number(options.expires);
  if (days !== undefined && !(days > 0))
    throw new ServiceError("Validation", "--expires must be a number of days.");
  const hosts = hostsOf(options.hosts ?? "");
  actAsOwner(config.values.data_dir);
  const key = makeApiKey();
  const id = await withStore(config, silentLog, (store) =>
    store.keys.add(
      {
        name,
        key,
        scope,
        hosts,
        expiresAt: days === undefined ? undefined : Date.now() + days * dayMs,
      },
      atCommandLine(),
    ),
  );
  if (id === undefined) throw new ServiceError("Conflict", `There is a key named "${name}" already.`);
  print(`${key}`);
  process.stderr.write(`The key "${name}" (${scope}) is shown once: only its hash is stored.\n`);
}

function hostsOf(text: string): string[] {
  const hosts = text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const problem = hosts.map(patternProblem).find((one) => one !== undefined);
  if (problem !== undefined) throw new ServiceError("Validation", `--hosts: ${problem}.`);
  return hosts;
}

function scopeOf(text: string | undefined): Scope {
  const scope = scopes.find((one) => one === text);
  if (!scope) throw new ServiceError("Validation", `--scope must be one of ${scopes.join(", ")}.`);
  return scope;
}

export async function listKeys(config: Config): Promise<void> {
  demandDatabase(config);
  actAsOwner(config.values.data_dir);
  const keys = await withStore(config, silentLog, (store) => store.keys.list());
  const day = (at: number | null) => (at === null ? "-" : new Date(at).toISOString().slice(0, 16));
  print("name\tscope\thosts\tcreated\texpires\tlast used\tstate");
  for (const key of keys) {
    const state =
      key.revoked_at !== null
        ? "revoked"
        : key.expires_at !== null && key.expires_at <= Date.now()
          ? "expired"
          : "in force";
    print(
      [
        key.name,
        key.scope,
        key.hosts.join(",") || "all",
        day(key.created_at),
        day(key.expires_at),
        day(key.last_used_at),
        state,
      ].join("\t"),
    );
  }
}

export async function revokeKey(config: Config, name: string): Promise<void> {
  demandDatabase(config);
  actAsOwner(config.values.data_dir);
  const done = await withStore(config, silentLog, (store) => store.keys.revoke(name, atCommandLine()));
  if (!done) throw new ServiceError("NotFound", `There is no key named "${name}" in force.`);
  print(`The key "${name}" is revoked.`);
}

/**
 * A new key in front of the old ones: the next start seals everything with it and logs `rotation.done`,
 * after which the old lines of the file may be removed.
 */
export function rotateMaster(config: Config): void {
  if (config.values.master_key) {
    const how = "put the new key in front of the old one, separated by a blank, and start the service again";
    throw new ServiceError("BadRequest", `The master key comes from PATCHBAY_MASTER_KEY: ${how}.`);
  }
  actAsOwner(config.values.data_dir);
  const { current, former } = loadMasterKeys(config);
  writeMasterKeys(masterKeyFile(config), [randomBytes(current.length), current, ...former]);
  print(
    `A new master key stands first in ${masterKeyFile(config)}. Start the service again: it seals everything with it and logs rotation.done.`,
  );
}
