/** Moves the store between the data directory and servers. The master key of the data directory opens both. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { Secret } from "../../base/secrets/secret.ts";
import type { Config } from "../../config/config.ts";
import { nativePrepared } from "../../runtime/native/native.ts";
import { ownDirectory } from "../../store/libsql/database/file/lock.ts";
import { libsqlPlace } from "../../store/move/libsql-place.ts";
import { abandonMove, type MoveResult, moveStore, type Place, type Progress } from "../../store/move/move.ts";
import { postgresPlace } from "../../store/move/postgres-place.ts";
import type { Ownership } from "../../store/port.ts";
import { isPostgres } from "../../store/postgres/database/address.ts";
import { requireFinished } from "../backup/unfinished.ts";
import { databaseName } from "../settings.ts";
import { findMasterKeys } from "./master-key.ts";

/** The database file of the data directory. */
export const filePlace = "file";

export interface MoveOptions {
  /** `file`, or the URL of a server. */
  readonly from: string;
  readonly to: string;
  /** Files with the token or the password of a server; default: PATCHBAY_DATABASE_TOKEN. */
  readonly fromTokenFile?: string | undefined;
  readonly toTokenFile?: string | undefined;
}

/** @throws ServiceError Conflict: nothing was done; Unavailable, Internal: the same command goes on */
export async function moveBetween(
  config: Config,
  { from, to, fromTokenFile, toTokenFile }: MoveOptions,
  progress: Progress,
): Promise<MoveResult> {
  if (from === to)
    throw new ServiceError("Validation", "Both places are the same. Another directory: backup and restore.");
  return withPlaces(config, [from, to].includes(filePlace), async (open) => {
    const keys = findMasterKeys(config);
    const source = await open(from, fromTokenFile, false);
    return moveStore(source, await open(to, toTokenFile, true), keys, progress);
  });
}

/** Ends a move that was interrupted: the source can be worked on again. */
export async function abandonBetween(
  config: Config,
  { from, fromTokenFile }: Pick<MoveOptions, "from" | "fromTokenFile">,
): Promise<void> {
  await withPlaces(config, from === filePlace, async (open) =>
    abandonMove(await open(from, fromTokenFile, false)),
  );
}

type Open = (place: string, tokenFile: string | undefined, makes: boolean) => Promise<Place>;

async function withPlaces<T>(config: Config, ofFile: boolean, work: (open: Open) => Promise<T>): Promise<T> {
  const { data_dir: directory, database_token } = config.values;
  requireFinished(directory);
  await nativePrepared();
  // No service works on the file, and none starts.
  const ownership: Ownership = ofFile ? await ownDirectory(directory) : { release() {} };
  const opened: Place[] = [];
  try {
    return await work(async (place, tokenFile, makes) => {
      const token = tokenFile === undefined ? database_token : tokenIn(tokenFile);
      const made = await reached(place, async () => {
        if (isPostgres(place)) return postgresPlace(place, token);
        const file = join(directory, databaseName);
        if (place !== filePlace) return libsqlPlace({ file, directory, url: place, token });
        // Opening would make one.
        if (!makes && !statSync(file, { throwIfNoEntry: false })?.size)
          throw new ServiceError("NotFound", `There is no database in ${directory}.`);
        return libsqlPlace({ file, directory, url: undefined, token: undefined });
      });
      opened.push(made);
      await reached(made.shown, () => made.names());
      return made;
    });
  } finally {
    for (const place of opened) await place.close();
    ownership.release();
  }
}

async function reached<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const text = `The database ${shown} cannot be opened: ${messageOf(error)}`;
    throw new ServiceError("Unavailable", text, undefined, { cause: error });
  }
}

function tokenIn(file: string): Secret {
  try {
    return new Secret(readFileSync(file, "utf8").trim());
  } catch (error) {
    throw new ServiceError("Validation", `The file ${file} cannot be read: ${messageOf(error)}.`);
  }
}
