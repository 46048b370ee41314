/** `patchbay capture`: records a device's answers through a service of its own, as files for simulated devices. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import { makeApiKey } from "../auth/keys.ts";
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import { type Config, loadConfig } from "../config/config.ts";
import type { JobRecord } from "../model/job.ts";
import { discover, findPlugins } from "../registry/discover.ts";
import type { Program } from "../service/program.ts";
import { startService } from "../service/service.ts";
import { redact } from "../simulator/redact.ts";
import { transcriptFile } from "../simulator/transcripts.ts";

export interface CaptureOptions {
  readonly platform: string;
  readonly host: string;
  readonly port: string;
  readonly username: string;
  readonly passwordFile: string;
  readonly secretFile?: string;
  readonly folder: string;
}

export async function capture(
  commands: readonly string[],
  options: CaptureOptions,
  config: Config,
  program: Program,
): Promise<void> {
  const password = secretIn(options.passwordFile);
  const secret = options.secretFile === undefined ? undefined : secretIn(options.secretFile);
  const { platform, host, port, username } = options;
  const { driver, platformField } = await driverFor(config);
  const job = await answered(config, program, {
    driver,
    connection_args: {
      [platformField]: platform,
      host,
      port: Number(port),
      username,
      password,
      ...(secret === undefined ? {} : { secret }),
    },
    command: commands,
  });
  if (job.status !== "finished") throw new ServiceError("BadRequest", whyNot(job));
  for (const warning of job.warnings ?? []) process.stderr.write(`patchbay: ${warning}\n`);
  mkdirSync(options.folder, { recursive: true });
  for (const command of new Set(commands)) {
    const file = join(options.folder, transcriptFile(command));
    const text = redact(String(job.result?.retval?.[command] ?? ""), [password, secret ?? ""]);
    writeFileSync(file, `${text.trimEnd()}\n`);
    process.stdout.write(`${file}\n`);
  }
  process.exit(0);
}

/** The driver whose commands are lines that a platform's command line takes. */
async function driverFor({ values, pluginSettings }: Config) {
  const log = createLog({ level: "error", format: "pretty" });
  const registry = await discover(builtins, await findPlugins(values.plugins), log, pluginSettings);
  for (const { name, commands, platformField } of registry.list("driver"))
    if (commands === "lines" && platformField !== undefined) return { driver: name, platformField };
  throw new ServiceError("Internal", "There is no driver for command lines.");
}

/** One job in a service on loopback whose data directory goes with it. */
async function answered({ values }: Config, program: Program, body: object): Promise<JobRecord> {
  const data = mkdtempSync(join(tmpdir(), "patchbay-capture-"));
  const key = makeApiKey();
  // The default folder need not be there.
  const folders = values.plugins.filter((folder) => existsSync(folder));
  const config = loadConfig({
    flags: {
      data_dir: data,
      listen: "127.0.0.1:0",
      log_level: "error",
      ...(folders.length === 0 ? {} : { plugins: folders.join(":") }),
    },
    environment: { PATCHBAY_API_KEY: key },
  });
  const service = await startService(config, program, createLog({ level: "error", format: "pretty" }));

  async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
    const headers = { "X-API-KEY": key, "Content-Type": "application/json" };
    const response = await fetch(service.url + path, { ...init, headers });
    // Our own service's answer: its shape is ours.
    const answer = (await response.json()) as { message: string; data: T };
    if (!response.ok) throw new ServiceError("BadRequest", answer.message);
    return answer.data;
  }

  try {
    const { id } = await call<{ id: string }>("/device/execute", {
      method: "POST",
      body: JSON.stringify(body),
    });
    for (;;) {
      const [job] = await call<JobRecord[]>(`/job?id=${id}`);
      if (job && job.status !== "queued" && job.status !== "running") return job;
      await pause(50);
    }
  } finally {
    await service.stop(2_000);
    rmSync(data, { recursive: true, force: true });
  }
}

function whyNot({ result }: JobRecord): string {
  const { type = "", message = "it was cancelled" } = result?.error ?? {};
  return `Nothing was recorded: ${message}${type === "" ? "" : ` (${type})`}`;
}

function secretIn(file: string): string {
  const [line = ""] = readFileSync(file, "utf8").split(/\r?\n/);
  if (line === "") throw new ServiceError("Validation", `${file} holds no password in its first line.`);
  return line;
}
