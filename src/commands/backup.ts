/** `patchbay backup`: writes one archive of the whole data directory. */
import process from "node:process";
import type { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secrets/secret.ts";
import type { Config } from "../config/config.ts";
import { loadBackup } from "../service/load.ts";
import { masterKeyFile } from "../service/storage/master-key.ts";
import { askAtTerminal } from "./input.ts";
import { configOf, storeSettings, withSettings } from "./options.ts";
import { print } from "./output.ts";

const mib = 1024 * 1024;

interface BackupFlags {
  readonly files: boolean;
  readonly onlyDatabase?: boolean;
  readonly seal?: boolean;
  readonly passphraseFile?: string;
}

export function defineBackup(parent: Command): void {
  const about =
    "write database, plugins, templates and files into one archive, beside the running service or without it";
  const command = parent
    .command("backup <file>")
    .description(about)
    .option("--seal", "ask for a passphrase and seal it with that: includes the master key and SSH keys")
    .option("--passphrase-file <file>", "the same with the passphrase in a file")
    .option("--no-files", "omit the transfer folder")
    .option("--only-database", "include only the database");
  withSettings(command, storeSettings).action((file: string, flags: BackupFlags, command: Command) =>
    backup(configOf(command), file, flags),
  );
}

async function backup(config: Config, file: string, flags: BackupFlags): Promise<void> {
  const { makeBackup, passphraseIn, passphraseOf } = await loadBackup(config.values.data_dir);
  const { passphraseFile, seal, files, onlyDatabase = false } = flags;
  let passphrase: Secret | undefined;
  if (passphraseFile !== undefined) passphrase = passphraseIn(passphraseFile);
  else if (seal === true) passphrase = passphraseOf(await askTwice(), "What was typed");
  const { manifest, target, leftovers } = await makeBackup(config, {
    target: file,
    files,
    onlyDatabase,
    passphrase,
  });
  if (leftovers.backups > 0)
    print(
      `Removed what interrupted backups had left (backups: ${leftovers.backups}, ${Math.ceil(leftovers.bytes / mib)} MiB).`,
    );
  print(`Written to ${target}, read back and compared (files: ${manifest.entries.length}).`);
  if (manifest.left_out.length > 0) print(`Left out: ${manifest.left_out.join(", ")}.`);
  if (passphrase !== undefined && !config.values.master_key && !onlyDatabase) {
    print("It is sealed with the passphrase, and holds the master key: keep the passphrase elsewhere.");
    return;
  }
  const key = config.values.master_key ? "PATCHBAY_MASTER_KEY" : masterKeyFile(config);
  print(
    `It is sealed with the master key (${key}), which it does not contain: store the key elsewhere, the copy is unreadable without it.`,
  );
}

async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ServiceError("Validation", "--seal needs a terminal; without one use --passphrase-file.");
  const first = await askAtTerminal("passphrase: ", { hidden: true });
  const second = await askAtTerminal("once more: ", { hidden: true });
  if (first === second) return first;
  throw new ServiceError("Validation", "The passphrases differ: nothing was written.");
}
