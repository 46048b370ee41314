/** Scheduled backups: each runs in its own process, so that the service is not blocked; old ones are deleted. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { scheduleBackups } from "../../backup/schedule.ts";
import { messageOf } from "../../base/errors.ts";
import { childProcess } from "../../base/lazy-modules.ts";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { isCompiled } from "../../runtime/self.ts";
import type { Program } from "../program.ts";

const archiveName = /^patchbay-\d{8}T\d{6}Z\.tar\.gz(?:\.age)?$/;
/** Leftover of an interrupted backup of an earlier version; newer ones remove their own. */
const leftoverName =
  /^\.patchbay-\d{8}T\d{6}Z\.tar\.gz(?:\.age)?\.[0-9a-f]{8}\.(?:partial|db)(?:-wal|-shm|-journal)?$/;
/** Exists while the last backup has failed; contains the error. */
const failureName = "patchbay-backup.failed";
const maxReason = 2_000;

export interface ScheduledBackups {
  /** Time of the newest in seconds since 1970; undefined if there is none. */
  newest(): number | undefined;
  /** Undefined if none was tried, or the last one succeeded. */
  failure(): string | undefined;
  stop(): void;
}

/** @returns undefined if none are configured */
export function startScheduledBackups(
  config: Config,
  program: Program,
  log: Log,
): ScheduledBackups | undefined {
  const { backup_cron: cron, backup_folder: folder } = config.values;
  if (cron === undefined || folder === undefined) return undefined;
  let stopRunning = () => {};
  let stopped = false;

  async function take(): Promise<void> {
    if (stopped) return;
    const target = join(folder ?? "", nameAt(new Date(), config.values.backup_passphrase_file !== undefined));
    const startedMs = performance.now();
    try {
      mkdirSync(folder ?? "", { recursive: true, mode: 0o700 });
      removeMatching(folder ?? "", leftoverName, 0);
      await runBackup(target, config, program, (stop) => (stopRunning = stop));
      rmSync(join(folder ?? "", failureName), { force: true });
      const removed = removeMatching(folder ?? "", archiveName, config.values.backup_keep);
      const { size } = statSync(target);
      log.info("backup.done", {
        file: target,
        bytes: size,
        ms: Math.round(performance.now() - startedMs),
        removed,
      });
    } catch (error) {
      if (stopped) return;
      const reason = messageOf(error).slice(0, maxReason);
      log.error("backup.failed", { file: target, reason });
      noteFailure(folder ?? "", reason, log);
    } finally {
      stopRunning = () => {};
    }
  }

  const schedule = scheduleBackups(cron, config.timeZone, take);
  return {
    newest: () => newestBackup(folder),
    failure: () => lastFailure(folder),
    stop() {
      stopped = true;
      schedule.stop();
      stopRunning();
    },
  };
}

/** Seconds since 1970; undefined if there is none. */
export function newestBackup(folder: string): number | undefined {
  const name = namesIn(folder)
    .filter((one) => archiveName.test(one))
    .sort()
    .at(-1);
  const stat = name === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
  return stat === undefined ? undefined : stat.mtimeMs / 1000;
}

export function lastFailure(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, failureName), "utf8");
  } catch {
    return undefined;
  }
}

function noteFailure(folder: string, reason: string, log: Log): void {
  try {
    writeFileSync(join(folder, failureName), `${new Date().toISOString()} ${reason}`, { mode: 0o600 });
  } catch (error) {
    log.debug("backup.not_noted", { reason: String(error) });
  }
}

function nameAt(now: Date, sealed: boolean): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  return `patchbay-${stamp}.tar.gz${sealed ? ".age" : ""}`;
}

/**
 * All but the newest.
 * @returns the number deleted
 */
function removeMatching(folder: string, pattern: RegExp, keep: number): number {
  const names = namesIn(folder)
    .filter((name) => pattern.test(name))
    .sort()
    .reverse()
    .slice(keep);
  for (const name of names) rmSync(join(folder, name), { force: true });
  return names.length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Runs the same command that an operator would. */
function runBackup(
  target: string,
  { values }: Config,
  program: Program,
  onStart: (stop: () => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { backup_passphrase_file: passphrase, backup_files: files, master_key } = values;
  const args = [
    ...(isCompiled ? [] : [program.mainPath]),
    ...["backup", target, "--data-dir", values.data_dir],
    ...(passphrase === undefined ? [] : ["--passphrase-file", passphrase]),
    ...(files ? [] : ["--no-files"]),
  ];
  const child = childProcess().spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "pipe"],
    // Avoids finding another settings file.
    cwd: values.data_dir,
    env: { PATH: "", ...(master_key === undefined ? {} : { PATCHBAY_MASTER_KEY: master_key.reveal() }) },
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-maxReason)));
  child.on("error", reject);
  child.on("close", (code, signal) => {
    if (code === 0) resolve();
    else reject(new Error(said.trim() || `it ended with ${signal ?? code}`));
  });
  onStart(() => child.kill("SIGKILL"));
  return promise;
}
