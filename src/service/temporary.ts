/** A temporary service on loopback with its own data directory, and calls to its API, for demo and trial commands. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobRecord } from "../api/jobs/job.ts";
import { makeApiKey } from "../auth/make-key.ts";
import { createLog, type LogLevel } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import { type Config, loadConfig } from "../config/config.ts";
import type { SettingName } from "../config/settings.ts";
import { loadService } from "./load.ts";
import type { Program } from "./program.ts";

export interface Answer<T> {
  readonly code: number;
  readonly message: string;
  readonly data: T;
}

export interface TemporaryService {
  readonly url: string;
  /** An admin key. */
  readonly key: string;
  call<T>(method: string, path: string, body?: string): Promise<Answer<T>>;
  /** The job's record once it has ended. */
  ended(id: string): Promise<JobRecord>;
  stop(): Promise<void>;
}

const lookMs = 20;
const drainMs = 2_000;

export async function startTemporary(
  program: Program,
  logLevel: LogLevel,
  settings: Partial<Record<SettingName, string>> = {},
  pluginSettings?: Config["pluginSettings"],
): Promise<TemporaryService> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-temporary-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const key = makeApiKey();
  const loaded = loadConfig({
    flags: { listen: "127.0.0.1:0", log_level: logLevel, ...settings, data_dir: folder },
    environment: { PATCHBAY_API_KEY: key },
  });
  const config = pluginSettings === undefined ? loaded : { ...loaded, pluginSettings };
  const { startService } = await loadService(folder);
  const log = createLog({ level: logLevel, format: "pretty" });
  const service = await startService(config, program, log).catch((error: unknown) => {
    removeFolder();
    throw error;
  });

  async function call<T>(method: string, path: string, body?: string): Promise<Answer<T>> {
    const headers = { "X-API-KEY": key, "Content-Type": "application/json" };
    const response = await fetch(service.url + path, {
      method,
      headers,
      body,
    });
    // The response of our own service, whose shape is known.
    return (await response.json()) as Answer<T>;
  }

  return {
    url: service.url,
    key,
    call,
    async ended(id) {
      for (;;) {
        const { data } = await call<JobRecord[]>("GET", `/job?id=${id}`);
        const [job] = data;
        if (job && job.status !== "queued" && job.status !== "running") return job;
        await pause(lookMs);
      }
    },
    async stop() {
      await service.stop(drainMs);
      removeFolder();
    },
  };
}
