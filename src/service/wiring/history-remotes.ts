/** Connects the remotes of the history with the device threads, which reach them with a credential. */
import { requireCredential } from "../../auth/credentials.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { createDeadline, onAbort } from "../../base/time/deadline.ts";
import type { ReachRemote } from "../../history/remotes/port.ts";
import type { CredentialUse } from "../../limits/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { RepositoryTask } from "../../protocol/task.ts";
import { credentialNamer } from "../../registry/named-credential.ts";
import type { Registry } from "../../registry/registry.ts";

interface RemoteReaching {
  readonly pool: Pick<Pool, "run">;
  readonly registry: Pick<Registry, "get" | "list">;
  readonly credentialUse: CredentialUse;
}

/** A first push may have gigabytes. */
const reachMs = 600_000;

export function createRemoteReaching({ pool, registry, credentialUse }: RemoteReaching) {
  const named = credentialNamer(registry);
  const reach: ReachRemote = async ({ credential, authorities, hostKey, ...work }, owner, signal) => {
    if (credential !== undefined) {
      // Checked again: the key or its rights may have changed since.
      const host = new URL(work.url).hostname;
      await credentialUse.note({ keyId: owner.keyId, credential: await named(credential), host });
    }
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
    const deadline = createDeadline(reachMs, late);
    const unlisten = onAbort(signal, (reason) => deadline.abort(reason));
    try {
      return await pool.run(task, { deadline });
    } finally {
      unlisten();
      deadline.dispose();
    }
  };
  return {
    reach,
    async checkCredential(reference: Record<string, unknown>, caller: Caller): Promise<void> {
      requireCredential(caller, await named(reference));
    },
  };
}
