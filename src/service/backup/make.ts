/** Creates a backup while the service runs: a consistent copy of the database and all files that belong to it. */
import { dirname, resolve } from "node:path";
import { migrations } from "../../../migrations/index.ts";
import type { Manifest } from "../../backup/manifest.ts";
import { writeArchive } from "../../backup/write.ts";
import { silentLog } from "../../base/log.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { version } from "../../base/version.ts";
import type { Config } from "../../config/config.ts";
import { makePrivateFile } from "../storage/private-file.ts";
import { requireDatabase, withStore } from "../storage/store.ts";
import { requireWhole } from "./database.ts";
import { findParts } from "./parts.ts";
import { type Leftovers, makeWorkingFolder, removeLeftovers } from "./working-folder.ts";

export interface BackupOptions {
  readonly target: string;
  /** Include the transfer folder. */
  readonly files: boolean;
  /** Only the database. */
  readonly onlyDatabase?: boolean;
  readonly passphrase?: Secret;
}

export interface MadeBackup {
  readonly manifest: Manifest;
  readonly target: string;
  /** Of killed backups; they were removed. */
  readonly leftovers: Leftovers;
}

/** @throws ServiceError what is wrong with the destination, the database, or the written archive */
export async function makeBackup(config: Config, options: BackupOptions): Promise<MadeBackup> {
  const { data_dir } = config.values;
  const target = resolve(options.target);
  requireDatabase(config);
  const folder = dirname(target);
  const leftovers = removeLeftovers(folder);
  const { snapshot, partial, close } = makeWorkingFolder(folder);
  try {
    makePrivateFile(snapshot);
    await withStore(config, silentLog, (store) => store.backup(snapshot));
    await requireWhole(snapshot);
    const { files, onlyDatabase = false } = options;
    const wanted = { sealed: options.passphrase !== undefined, files, onlyDatabase };
    const { parts, leftOut } = findParts(data_dir, snapshot, wanted);
    const manifest = await writeArchive({
      target,
      partial,
      parts,
      passphrase: options.passphrase,
      facts: {
        version,
        tables: migrations.at(-1)?.name ?? "",
        created_at: new Date().toISOString(),
        left_out: [...leftOut],
      },
    });
    return { manifest, target, leftovers };
  } finally {
    close();
  }
}
