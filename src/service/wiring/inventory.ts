/**
 * Connects the inventory with its plugins: texts are read in a template process, which a hostile or huge one may harm,
 * and written here, piece by piece; sources are fetched on a device thread.
 */

import { bringsFiles, optionsOf, writtenSource } from "../../api/inventory/inventory-source.ts";
import { shareOf } from "../../auth/caller.ts";
import { requireCredential } from "../../auth/credentials.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { createDeadline, onAbort } from "../../base/time/deadline.ts";
import type { Formats, TextReader, TextWriter } from "../../inventory/exchange/port.ts";
import type { SourceFetcher, SourceKinds, Sources } from "../../inventory/exchange/sources-port.ts";
import type { CredentialUse } from "../../limits/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { SourceTask } from "../../protocol/task.ts";
import { createInventoryFormats, formatsOf } from "../../registry/inventory-formats.ts";
import { sourceIssues, sourceKindsOf } from "../../registry/inventory-sources.ts";
import { createPluginLoader } from "../../registry/loader.ts";
import { credentialNamer } from "../../registry/named-credential.ts";
import type { Registry } from "../../registry/registry.ts";

/** CPU time: 8 MiB of YAML take a while. */
const limitMs = 60_000;
/** Total, including the wait for a process and for the CPU. */
const totalMs = 300_000;
const waitMs = 30_000;

export function createTextReader(pool: Pick<Pool, "run">): TextReader {
  return async ({ format, text, delimiter, map }, caller, signal) => {
    const deadline = createDeadline(totalMs, tooMuch);
    const unlisten = onAbort(signal, (reason) => deadline.abort(reason));
    try {
      const task = {
        kind: "inventory" as const,
        ...(format === undefined ? {} : { format }),
        text,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(map === undefined ? {} : { map }),
      };
      return await pool.run(task, { deadline, limitMs, waitMs, share: { key: shareOf(caller), job: false } });
    } catch (error) {
      const { kind } = toErrorData(error);
      throw kind === "TemplateTimeout" || kind === "TemplateLimit" ? tooMuch() : error;
    } finally {
      unlisten();
      deadline.dispose();
    }
  };
}

export function createTextWriter(registry: Registry, log: Log): TextWriter {
  const formats = createInventoryFormats({ registry, loaded: createPluginLoader(), log });
  return async (name) => (await formats.open(name)).write;
}

/** What the formats that are loaded now can do. */
export function describedFormats(registry: Pick<Registry, "list">): Formats {
  const formats = formatsOf(registry);
  return {
    imports: formats.filter(({ imports }) => imports).map(({ name }) => name),
    exports: formats.flatMap(({ name, exports }) =>
      exports === undefined ? [] : [{ name, type: exports.type, file: exports.name }],
    ),
  };
}

function tooMuch(): ServiceError {
  return new ServiceError(
    "PayloadTooLarge",
    "The text exceeds the time or memory limit: split it, or send it as CSV or JSON.",
  );
}

/** Fetches inventory sources: on a device thread, with a credential that the key may use, with a timeout. */
interface SourceFetching {
  readonly pool: Pick<Pool, "run">;
  readonly registry: Pick<Registry, "get" | "list">;
  readonly credentialUse: CredentialUse;
}

const fetchMs = 300_000;

export function createSourceFetching({ pool, registry, credentialUse }: SourceFetching) {
  const named = credentialNamer(registry);

  const fetch: SourceFetcher = async (source, caller, signal) => {
    const { kind: from, url, format, credential, verify } = source;
    if (credential) {
      // Checked again: the key or its rights may have changed since.
      const use = { keyId: caller.keyId, credential: await named(credential), host: new URL(url).hostname };
      await credentialUse.note(use);
    }
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
    const deadline = createDeadline(fetchMs, late);
    const unlisten = onAbort(signal, (reason) => deadline.abort(reason));
    try {
      return await pool.run(task, { deadline });
    } finally {
      unlisten();
      deadline.dispose();
    }
  };

  const kinds: SourceKinds = {
    written: () => writtenSource(sourceKindsOf(registry), describedFormats(registry).imports),
    issues: (kind, options) => sourceIssues(registry, kind, options),
  };

  return {
    fetch,
    kinds,
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
