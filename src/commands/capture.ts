/** `patchbay capture`: records a device's answers through a temporary service, as fixtures for simulated devices. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import type { JobRecord } from "../api/jobs/job.ts";
import { ServiceError } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import { redact } from "../base/secrets/redact.ts";
import { readText } from "../client/input/input.ts";
import { type OverwriteFlag, overwriteHint, requireNew, writeOutput } from "../client/output/output-files.ts";
import type { Config } from "../config/config.ts";
import type { Program } from "../service/program.ts";
import { startTemporary } from "../service/temporary.ts";
import { transcriptFile } from "../testkit/simulator/transcripts.ts";
import { configOf, withSettings } from "./options.ts";
import { print, printWarning } from "./output.ts";

interface CaptureOptions extends OverwriteFlag {
  readonly platform: string;
  readonly host: string;
  readonly port?: string;
  readonly username: string;
  readonly passwordFile: string;
  readonly secretFile?: string;
  readonly folder: string;
}

export function defineCapture(parent: Command, program: Program): void {
  const command = parent
    .command("capture <commands...>")
    .description("record a device's answers with secrets redacted, for `simulate --transcripts`")
    .requiredOption("--platform <name>", "device_type, such as cisco_ios or huawei")
    .requiredOption("--host <address>", "the device")
    .requiredOption("--username <name>", "login user")
    .requiredOption("--password-file <file>", "file with the login password")
    .requiredOption("--folder <path>", "where the files are written: one for each command")
    .option("--overwrite", overwriteHint)
    .option("--secret-file <file>", "file with the enable password")
    .option("--port <port>", "default: 22, and 23 where the platform ends in _telnet");
  withSettings(command, ["plugins"]).action((commands: string[], options: CaptureOptions, command: Command) =>
    capture(commands, options, configOf(command), program),
  );
}

async function capture(
  commands: readonly string[],
  options: CaptureOptions,
  config: Config,
  program: Program,
): Promise<void> {
  const files = [...new Set(commands)].map((command) => join(options.folder, transcriptFile(command)));
  for (const file of files) requireNew(file, options);
  const password = secretIn(options.passwordFile);
  const secret = options.secretFile === undefined ? undefined : secretIn(options.secretFile);
  const { platform, host, port, username } = options;
  const { driver, platformField } = await driverFor(config, program);
  const job = await runJob(config, program, {
    driver,
    connection_args: {
      [platformField]: platform,
      host,
      ...(port === undefined ? {} : { port: Number(port) }),
      username,
      password,
      secret,
    },
    command: commands,
  });
  if (job.status !== "finished") throw new ServiceError("BadRequest", whyNot(job));
  for (const warning of job.warnings ?? []) printWarning(warning);
  mkdirSync(options.folder, { recursive: true });
  for (const command of new Set(commands)) {
    const file = join(options.folder, transcriptFile(command));
    const text = redact(String(job.result?.retval?.[command] ?? ""), [password, secret ?? ""]);
    writeOutput(file, `${text.trimEnd()}\n`, options);
    print(file);
  }
  process.exit(0);
}

/** Finds the CLI driver of a platform. */
async function driverFor(config: Config, program: Program) {
  const { configuredPlugins } = await import("../service/plugins/plugins.ts");
  const registry = await configuredPlugins(config, createLog({ level: "error", format: "pretty" }), program);
  for (const { name, commands, platformField } of registry.list("driver"))
    if (commands === "lines" && platformField !== undefined) return { driver: name, platformField };
  throw new ServiceError("Internal", "No driver for command lines is loaded.");
}

async function runJob(
  { values, pluginSettings }: Config,
  program: Program,
  body: object,
): Promise<JobRecord> {
  // The default folder may not exist.
  const folders = values.plugins.filter((folder) => existsSync(folder));
  const settings = folders.length === 0 ? {} : { plugins: folders.join(":") };
  const service = await startTemporary(program, "error", settings, pluginSettings);
  try {
    const { code, message, data } = await service.call<{ id: string }>(
      "POST",
      "/device/execute",
      JSON.stringify(body),
    );
    if (code !== 200) throw new ServiceError("BadRequest", message);
    return await service.ended(data.id);
  } finally {
    await service.stop();
  }
}

function whyNot({ result }: JobRecord): string {
  const { type = "", message = "it was cancelled" } = result?.error ?? {};
  return `Nothing was recorded: ${message}${type === "" ? "" : ` (${type})`}`;
}

function secretIn(file: string): string {
  const [line = ""] = readText(file).split(/\r?\n/);
  if (line === "") throw new ServiceError("Validation", `${file} has no password in its first line.`);
  return line;
}
