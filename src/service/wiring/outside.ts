/**
 * Connects sources of the inventory and remotes of the history with the device threads, which reach them with a
 * credential.
 */
import { bringsFiles, optionsOf, writtenSource } from "../../api/inventory/inventory-source.ts";
import { requireCredential } from "../../auth/credentials.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import type { ReachRemote } from "../../history/remotes/port.ts";
import type { SourceFetcher, SourceKinds } from "../../inventory/exchange/sources-port.ts";
import type { CredentialUse } from "../../limits/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { RepositoryTask, SourceTask } from "../../protocol/task.ts";
import { sourceIssues, sourceKindsOf } from "../../registry/inventory-sources.ts";
import { credentialNamer } from "../../registry/named-credential.ts";
import type { Registry } from "../../registry/registry.ts";
import { describedFormats } from "./inventory.ts";

interface Reaching {
  readonly pool: Pick<Pool, "run">;
  readonly registry: Pick<Registry, "get" | "list">;
  readonly credentialUse: CredentialUse;
}

const fetchMs = 300_000;
/** A first push may have gigabytes. */
const reachMs = 600_000;

export function createSourceFetching(reaching: Reaching) {
  const { pool, registry } = reaching;
  const { noteUse, checkCredential } = credentialsOf(reaching);

  const fetch: SourceFetcher = async (source, caller, signal) => {
    const { kind: from, url, format, credential, verify } = source;
    if (credential) await noteUse(credential, caller, url);
    const task: SourceTask = {
      kind: "source",
      from,
      url,
      options: optionsOf(source),
      format: format ?? "",
      ...(bringsFiles(source) ? { asFiles: true } : {}),
      verify,
      reach: [...caller.hosts],
      ...(credential ? { credential } : {}),
    };
    const late = () =>
      new ServiceError("ConnectionTimeout", `The source took more than ${fetchMs / 1000} seconds.`);
    return withDeadline(fetchMs, late, signal, (deadline) => pool.run(task, { deadline }));
  };

  const kinds: SourceKinds = {
    written: () => writtenSource(sourceKindsOf(registry), describedFormats(registry).imports),
    issues: (kind, options) => sourceIssues(registry, kind, options),
  };

  return { fetch, kinds, checkCredential };
}

export function createRemoteReaching(reaching: Reaching) {
  const { noteUse, checkCredential } = credentialsOf(reaching);

  const reach: ReachRemote = async ({ credential, authorities, hostKey, ...work }, owner, signal) => {
    if (credential !== undefined) await noteUse(credential, owner, work.url);
    const task: RepositoryTask = {
      kind: "repository",
      ...work,
      reach: [...owner.hosts],
      ...(credential === undefined ? {} : { credential }),
      ...(authorities === undefined ? {} : { authorities }),
      ...(hostKey === undefined ? {} : { hostKey }),
    };
    const late = () =>
      new ServiceError("ConnectionTimeout", `The remote took more than ${reachMs / 60_000} minutes.`);
    return withDeadline(reachMs, late, signal, (deadline) => reaching.pool.run(task, { deadline }));
  };

  return { reach, checkCredential };
}

type Reference = Readonly<Record<string, unknown>>;

function credentialsOf({ registry, credentialUse }: Reaching) {
  const named = credentialNamer(registry);
  return {
    /** Checked again: the key or its rights may have changed since. */
    async noteUse(reference: Reference, { keyId }: Pick<Caller, "keyId">, url: string): Promise<void> {
      await credentialUse.note({ keyId, credential: await named(reference), host: new URL(url).hostname });
    },

    async checkCredential(reference: Reference, caller: Caller): Promise<void> {
      requireCredential(caller, await named(reference));
    },
  };
}
