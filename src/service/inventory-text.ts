/** Parses inventory texts in a template process: a hostile or huge one harms only that process. */

import { ServiceError, toErrorData } from "../base/errors.ts";
import { createDeadline, onAbort } from "../base/time/deadline.ts";
import type { TextReader } from "../inventory/exchange-port.ts";
import type { Pool } from "../pool/port.ts";

/** CPU time: 8 MiB of YAML take a while. */
const limitMs = 60_000;
/** Total, including the wait for a process and for the CPU. */
const totalMs = 300_000;
const waitMs = 30_000;

export function createTextReader(pool: Pick<Pool, "run">): TextReader {
  return async ({ format, text, delimiter, map }, { keyId }, signal) => {
    const deadline = createDeadline(totalMs, tooMuch);
    const unlisten = onAbort(signal, (reason) => deadline.abort(reason));
    try {
      const task = {
        kind: "inventory" as const,
        format,
        text,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(map === undefined ? {} : { map }),
      };
      return await pool.run(task, { deadline, limitMs, waitMs, share: { key: keyId, job: false } });
    } catch (error) {
      const { kind } = toErrorData(error);
      throw kind === "TemplateTimeout" || kind === "TemplateLimit" ? tooMuch() : error;
    } finally {
      unlisten();
      deadline.dispose();
    }
  };
}

function tooMuch(): ServiceError {
  return new ServiceError(
    "PayloadTooLarge",
    "The text exceeds the time or memory limit: split it, or send it as CSV or JSON.",
  );
}
