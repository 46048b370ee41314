/** Fetches inventory sources: on a device thread, with a credential that the key may use, with a timeout. */
import { requireCredential } from "../auth/credentials.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { createDeadline, onAbort } from "../base/time/deadline.ts";
import type { SourceFetcher, Sources } from "../inventory/sources-port.ts";
import type { CredentialUse } from "../limits/port.ts";
import type { Pool } from "../pool/port.ts";
import type { SourceTask } from "../protocol/task.ts";
import { credentialNamer } from "../registry/named-credential.ts";
import type { Registry } from "../registry/registry.ts";

export interface SourceFetching {
  readonly pool: Pick<Pool, "run">;
  readonly registry: Pick<Registry, "get">;
  readonly credentialUse: CredentialUse;
}

const limitMs = 300_000;

export function createSourceFetching({ pool, registry, credentialUse }: SourceFetching) {
  const named = credentialNamer(registry);

  const fetch: SourceFetcher = async (source, caller, signal) => {
    const { kind: from, url, format, credential, filter, object, path, ref, verify } = source;
    if (credential) {
      // Checked again: the key or its rights may have changed since.
      const use = { keyId: caller.keyId, credential: await named(credential), host: new URL(url).hostname };
      await credentialUse.note(use);
    }
    const task: SourceTask = {
      kind: "source",
      from,
      url,
      format: format ?? "json",
      verify,
      reach: [...caller.hosts],
      ...(credential ? { credential } : {}),
      ...(filter ? { filter } : {}),
      ...(object ? { object } : {}),
      ...(path ? { path } : {}),
      ...(ref ? { ref } : {}),
    };
    const late = () =>
      new ServiceError("ConnectionTimeout", `The source took more than ${limitMs / 1000} seconds.`);
    const deadline = createDeadline(limitMs, late);
    const unlisten = onAbort(signal, (reason) => deadline.abort(reason));
    try {
      return await pool.run(task, { deadline });
    } finally {
      unlisten();
      deadline.dispose();
    }
  };

  return {
    fetch,
    async checkCredential(reference: Record<string, unknown>, caller: Caller): Promise<void> {
      requireCredential(caller, await named(reference));
    },
  };
}

/** Runs the sync of a schedule and describes the result in a sentence. */
export function syncOf({ syncSource }: Pick<Sources, "syncSource">) {
  return async (name: string, by: Caller): Promise<string> => {
    const { added, changed, removed, unchanged } = (await syncSource(name, by)).run;
    return `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  };
}
