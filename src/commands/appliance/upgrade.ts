/** `patchbay upgrade`: installs another version, and rolls back if it does not become ready. */
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { dataDir, settingsFile, unitName, usualLayout } from "../../service/appliance/layout.ts";
import type { Program } from "../../service/program.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { askIdentity, requireSchema, takeFile } from "./candidate.ts";
import { backupBefore, hasDatabase, putBack, requireFolder } from "./data.ts";
import { hasSystemd, run } from "./system.ts";

interface UpgradeOptions {
  readonly program: string;
  readonly sha256?: string;
  readonly wait: string;
  readonly restart: boolean;
}

/** Default time for the new version to become ready. */
const readySeconds = 30;
const maxSeconds = 3_600;

export function defineUpgrade(parent: Command, program: Program): void {
  const command = parent
    .command("upgrade <file>")
    .description("replace the installed program with another version; roll back if it does not become ready")
    .option("--sha256 <sum>", "the expected checksum (default: from SHA256SUMS beside the file)")
    .option("--program <path>", "the installed program", usualLayout.program)
    .option("--wait <seconds>", "how long it may take to become ready", String(readySeconds))
    .option("--no-restart", "do not restart the service: its next start uses the new program");
  withSettings(command, storeSettings).action((file: string, options: UpgradeOptions, command: Command) =>
    upgrade(installedConfig(command), program, file, options),
  );
}

/** The settings of the installed service, unless flags or a local settings file override them. */
function installedConfig(command: Command): Config {
  const { config, dataDir: dataFolder } = command.optsWithGlobals<{ config?: string; dataDir?: string }>();
  const installed = config === undefined && dataFolder === undefined && existsSync(settingsFile);
  if (!installed) return configOf(command);
  command.setOptionValue("dataDir", dataDir);
  command.setOptionValue("config", settingsFile);
  return configOf(command);
}

async function upgrade(config: Config, self: Program, file: string, options: UpgradeOptions): Promise<void> {
  const program = resolve(options.program);
  if (!existsSync(program))
    throw new ServiceError("NotFound", `There is no program at ${program}: name it with --program.`);
  const seconds = Number(options.wait);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds)
    throw new ServiceError("Validation", `--wait must be 1 to ${maxSeconds} seconds.`);
  const readyMs = seconds * 1000;
  const restarts = options.restart && hasSystemd();
  const installed = askIdentity(program);
  const candidate = takeFile(resolve(file), program, options.sha256);
  const { identity, drop } = candidate;
  try {
    if (hasDatabase(config)) requireSchema(identity, installed);
    const backup = backupBefore(config, self, installed.version);
    swapIn(candidate.path, program);
    print(`${installed.version} -> ${identity.version}: ${program}`);
    if (backup !== undefined) print(`The database before it is in ${backup}.`);
    if (!restarts) {
      print(
        options.restart
          ? "systemd is not running here: restart the service and check GET /readyz."
          : "The service was not restarted: its next start uses the new program.",
      );
      if (backup !== undefined) makeRoom(backup);
      return;
    }
    if (run("systemctl", ["restart", unitName], readyMs).ok) {
      print("It is ready.");
      if (backup !== undefined) makeRoom(backup);
      return;
    }
    // The failed version may have migrated the database already.
    const migrated = identity.schema.length > installed.schema.length;
    run("systemctl", ["stop", unitName]);
    swapBack(program);
    const newDatabase = migrated && backup !== undefined ? putBack(config, self, backup) : undefined;
    const back = run("systemctl", ["start", unitName], readyMs);
    throw new ServiceError(
      "Unavailable",
      `${identity.version} was not ready within ${seconds} s: ${installed.version} is back in its place${newDatabase === undefined ? "" : `, with the database of before (that of the new version is in ${newDatabase}; jobs that waited are held)`}${back.ok ? " and runs" : `, but does not start: ${back.text}`}. What the new one said: journalctl -u patchbay`,
    );
  } finally {
    drop();
  }
}

/** Failures here do not fail the finished upgrade. */
function makeRoom(backup: string): void {
  try {
    const removed = removeOldBackups(backup);
    if (removed > 0)
      print(`Backups of ${removed} older upgrades were removed: the newest ${keptBackups} are kept.`);
  } catch (error) {
    print(`Older backups were not removed: ${messageOf(error)}`);
  }
}

function swapIn(fresh: string, program: string): void {
  const previous = `${program}.previous`;
  rmSync(previous, { force: true });
  // The path always exists: the previous program has two names until the rename.
  linkSync(program, previous);
  renameSync(fresh, program);
}

function swapBack(program: string): void {
  const fresh = `${program}.new`;
  rmSync(fresh, { force: true });
  copyFileSync(`${program}.previous`, fresh);
  renameSync(fresh, program);
}

/** Including the one just made. */
export const keptBackups = 5;
/** Files of one upgrade: the backup and, after a rollback, the database of the failed version. */
const ofUpgrade = /^before-upgrade-from-.+-(\d{17})(?:\.backup|-of-the-new-version\.db(?:-wal|-shm)?)$/;

/**
 * @param newBackup the new backup, kept whatever its name sorts as: the clock may have been set back.
 * @returns the number of upgrades whose files were removed
 */
export function removeOldBackups(newBackup: string): number {
  const folder = dirname(newBackup);
  requireFolder(folder);
  const byTime = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const time = ofUpgrade.exec(name)?.[1];
    if (time !== undefined && time !== ofUpgrade.exec(basename(newBackup))?.[1])
      byTime.set(time, [...(byTime.get(time) ?? []), name]);
  }
  const old = [...byTime.keys()]
    .sort()
    .reverse()
    .slice(keptBackups - 1);
  for (const time of old)
    for (const name of byTime.get(time) ?? []) rmSync(join(folder, name), { force: true });
  return old.length;
}
