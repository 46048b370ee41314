/** `patchbay key add`: creates an API key and prints it once. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Command } from "commander";
import { expiryOf, type NewKeyProblem, plainFingerprint, readNewKey } from "../../api/access/key.ts";
import { makeApiKey } from "../../auth/make-key.ts";
import { selectorPrefix } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { requireSelectors } from "../../inventory/selector/selector.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";
import { credentialsAbout, listOf, recipesAbout, rightsAbout } from "./lists.ts";

interface HostOptions {
  readonly hosts?: string;
  readonly select?: string;
}

interface AddOptions extends HostOptions {
  readonly scope: string;
  readonly credentials?: string;
  readonly rights?: string;
  readonly recipes?: string;
  readonly expires?: string;
  readonly cert?: string;
}

export function defineAdd(key: Command): void {
  withSettings(key.command("add <name>").description("create an API key and print it once"), storeSettings)
    .option("--scope <scope>", "read, agent (POST /mcp only), operate or admin", "operate")
    .option("--hosts <patterns>", "device hosts it may reach: names, wildcards, CIDR; comma-separated")
    .option("--select <selector>", "inventory devices that it may reach, in addition to those hosts")
    .option("--credentials <patterns>", credentialsAbout)
    .option("--rights <rights>", rightsAbout)
    .option("--recipes <names>", recipesAbout)
    .option("--expires <days>", "days until it expires")
    .option("--cert <file>", "client certificate (PEM) that is used as the key; no key text is created")
    .action((name: string, options: AddOptions, command: Command) =>
      addKey(configOf(command), name, options),
    );
}

async function addKey(config: Config, name: string, options: AddOptions): Promise<void> {
  const newKey = readNewKey({
    name,
    scope: options.scope,
    hosts: hostsOf(options),
    ...(options.credentials === undefined ? {} : { credentials: listOf(options.credentials) }),
    ...(options.rights === undefined ? {} : { rights: listOf(options.rights) }),
    ...(options.recipes === undefined ? {} : { recipes: listOf(options.recipes) }),
    ...(options.expires === undefined ? {} : { expires_days: Number(options.expires) }),
  });
  if ("message" in newKey) throw new ServiceError("Validation", problemOf(newKey));
  const { scope, hosts, credentials, rights, recipes } = newKey;
  requireSelectors(hosts, () => "--select");
  const { withStore } = await loadStore(config.values.data_dir, true);
  actAsOwner(config.values.data_dir);
  const certificate = options.cert === undefined ? undefined : fingerprintIn(options.cert);
  const secretKey = makeApiKey();
  const key = certificate === undefined ? secretKey : { certificate };
  const expiresAt = expiryOf(newKey, Date.now());
  const id = await withStore(config, silentLog, (store) =>
    store.keys.add({ name, key, scope, hosts, credentials, rights, recipes, expiresAt }, atCommandLine()),
  );
  if (id === undefined) {
    const orOther = certificate === undefined ? "" : ", or the certificate belongs to another key";
    throw new ServiceError("Conflict", `There is a key named "${name}" already${orOther}.`);
  }
  if (certificate !== undefined) {
    print(certificate);
    process.stderr.write(`The certificate with this SHA-256 is used as the key "${name}" (${scope}).\n`);
    return;
  }
  print(secretKey);
  process.stderr.write(`The key "${name}" (${scope}) is shown once: only its hash is stored.\n`);
}

/** @throws ServiceError Validation */
export function hostsOf({ hosts = "", select }: HostOptions): string[] {
  const patterns = hosts
    .split(",")
    .map((host) => host.trim())
    .filter(Boolean);
  // Commas may be part of a selector, so it cannot share a list.
  if (patterns.some((text) => text.startsWith(selectorPrefix)))
    throw new ServiceError("Validation", "--hosts takes patterns: use --select for a selector.");
  return select === undefined ? patterns : [...patterns, `${selectorPrefix}${select}`];
}

/** @throws ServiceError Validation */
function fingerprintIn(file: string): string {
  try {
    return plainFingerprint(new X509Certificate(readFileSync(file)).fingerprint256);
  } catch (error) {
    const why = error instanceof Error && "code" in error && error.code === "ENOENT" ? "is not there" : "";
    throw new ServiceError("Validation", `--cert: ${file} ${why || "contains no PEM certificate"}.`);
  }
}

/** The problem, in terms of command-line flags. */
function problemOf({ field, message }: NewKeyProblem): string {
  return field === "name" ? `The name of a key ${message}.` : `--${field.replace("_days", "")}: ${message}.`;
}
