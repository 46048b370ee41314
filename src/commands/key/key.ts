/** `patchbay key`: manages API keys and the master key. */

import { randomBytes } from "node:crypto";
import process from "node:process";
import type { Command } from "commander";
import { rights, stateOfKey } from "../../api/access/key.ts";
import { writerIn } from "../../api/jobs/job.ts";
import { shownKeyName } from "../../auth/holders.ts";
import { makeApiKey } from "../../auth/make-key.ts";
import { rightsOf } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { loadMasterKeys, masterKeyFile, writeMasterKeys } from "../../service/storage/master-key.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import { submitterText } from "../client/jobs/jobs.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { minute, print } from "../output.ts";
import { atCommandLine } from "./actor.ts";
import { defineAdd } from "./add.ts";
import { defineCredentials, defineRecipes, defineRights } from "./lists.ts";

export function defineKey(parent: Command): void {
  const key = parent.command("key").description("API keys and the master key");
  for (const define of [
    defineAdd,
    defineBreakGlass,
    defineList,
    defineCredentials,
    defineRights,
    defineRecipes,
    defineRevoke,
    defineRotateMaster,
  ])
    define(key);
}

/** `patchbay key revoke`: revokes an API key. */
function defineRevoke(key: Command): void {
  const command = key.command("revoke <name>").description("revoke an API key by name or id");
  withSettings(command, storeSettings).action((name: string, _options, command: Command) =>
    revokeKey(configOf(command), name),
  );
}

async function revokeKey(config: Config, name: string): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const outcome = await withStore(config, silentLog, (store) => store.keys.revoke(name, atCommandLine()));
  if (outcome !== "revoked") throw new ServiceError("NotFound", `There is no valid key named "${name}".`);
  print(`The key "${name}" is revoked.`);
}

/** `patchbay key rotate-master`: adds a new master key before the old ones. */
function defineRotateMaster(key: Command): void {
  const command = key.command("rotate-master").description("add a new master key in front of the old one");
  withSettings(command, ["data_dir"]).action((_options, command: Command) => rotateMaster(configOf(command)));
}

/** The next start re-seals everything and logs `rotation.done`; then the old lines may be removed. */
function rotateMaster(config: Config): void {
  if (config.values.master_key) {
    const remedy = "put the new key in front of the old one, separated by a space, and restart the service";
    throw new ServiceError("BadRequest", `The master key comes from PATCHBAY_MASTER_KEY: ${remedy}.`);
  }
  actAsOwner(config.values.data_dir);
  const { current, former } = loadMasterKeys(config);
  writeMasterKeys(masterKeyFile(config), [randomBytes(current.length), current, ...former]);
  print(
    `A new master key stands first in ${masterKeyFile(config)}. Restart the service: it re-encrypts everything with it and logs rotation.done.`,
  );
}

/** `patchbay key list`: lists API keys, never in clear text. */
function defineList(key: Command): void {
  withSettings(key.command("list").description("list API keys"), storeSettings).action(
    (_options, command: Command) => listKeys(configOf(command)),
  );
}

async function listKeys(config: Config): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const keys = await withStore(config, silentLog, (store) => store.keys.list());
  print(
    "name\tscope\thosts\tcredentials\trights\trecipes\tcreated\texpires\tlast used\tstate\tcertificate\tmade by",
  );
  const now = Date.now();
  for (const key of keys) {
    const cells = [
      shownKeyName(key),
      key.scope,
      key.hosts.join(",") || "all",
      key.credentials === null ? "-" : key.credentials.join(",") || "none",
      rightsOf(key).join(",") || "-",
      key.recipes === null ? "-" : key.recipes.join(",") || "none",
      minute(key.createdAt),
      minute(key.expiresAt),
      minute(key.lastUsedAt),
      stateOfKey(key, now).replace("_", " "),
      key.certificate ?? "-",
      submitterText(writerIn(key)) || "-",
    ];
    print(cells.join("\t"));
  }
}

function defineBreakGlass(key: Command): void {
  const about =
    "make the key for emergencies and print it once: admin, works without a provider, each use is announced; the one before is revoked";
  const command = key.command("break-glass").description(about);
  withSettings(command, storeSettings).action((_options, command: Command) =>
    makeBreakGlass(configOf(command)),
  );
}

async function makeBreakGlass(config: Config): Promise<void> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const secretKey = makeApiKey();
  const name = `break-glass-${new Date().toISOString().replace(/\D/g, "")}`;
  const key = { name, key: secretKey, scope: "admin", hosts: [], rights };
  const id = await withStore(config, silentLog, (store) => store.keys.addBreakGlass(key, atCommandLine()));
  if (id === undefined)
    throw new ServiceError("Conflict", `There is a key named "${name}" already: try again.`);
  print(secretKey);
  process.stderr.write(
    `The key "${name}" is shown once: write it down, and keep it in a safe. Those made before are revoked. Each use of it is in the audit trail, and told to the webhooks with the event break_glass.used.\n`,
  );
}
