/**
 * Connects the inventory with its plugins: texts are read in a template process, which a hostile or huge one may harm,
 * and written here, piece by piece.
 */

import { shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import type { Formats, TextReader, TextWriter } from "../../inventory/exchange/port.ts";
import type { Sources } from "../../inventory/exchange/sources-port.ts";
import type { Pool } from "../../pool/port.ts";
import { createInventoryFormats, formatsOf } from "../../registry/inventory-formats.ts";
import { createPluginLoader } from "../../registry/loader.ts";
import type { Registry } from "../../registry/registry.ts";

/** CPU time: 8 MiB of YAML take a while. */
const limitMs = 60_000;
/** Total, including the wait for a process and for the CPU. */
const totalMs = 300_000;
const waitMs = 30_000;

export function createTextReader(pool: Pick<Pool, "run">): TextReader {
  return async ({ format, text, delimiter, map }, caller, signal) => {
    try {
      const task = {
        kind: "inventory" as const,
        ...(format === undefined ? {} : { format }),
        text,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(map === undefined ? {} : { map }),
      };
      const share = { key: shareOf(caller), job: false };
      return await withDeadline(totalMs, tooMuch, signal, (deadline) =>
        pool.run(task, { deadline, limitMs, waitMs, share }),
      );
    } catch (error) {
      const { kind } = toErrorData(error);
      throw kind === "TemplateTimeout" || kind === "TemplateLimit" ? tooMuch() : error;
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

/** Runs the sync of a schedule and describes the result in a sentence. */
export function syncOf({ syncSource }: Pick<Sources, "syncSource">) {
  return async (name: string, by: Caller): Promise<string> => {
    const { added, changed, removed, unchanged } = (await syncSource(name, by)).run;
    return `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  };
}
