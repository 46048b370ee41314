/**
 * Puts a complete upload in the place of an older file. Where the server cannot do that in one step, the old file is
 * kept aside until the new one has its name: at each moment both lie under names that are known.
 */
import { posix } from "node:path";
import { ServiceError } from "../../../base/errors.ts";
import { asideName } from "./file-transfer.ts";
import type { Sftp } from "./sftp.ts";
import { lacksRequest, messageOfServer } from "./sftp-error.ts";

export interface Replacing {
  readonly sftp: Sftp;
  /** Called with what the caller should know. */
  warn(message: string): void;
}

export const asideOf = (path: string) => posix.join(posix.dirname(path), asideName(posix.basename(path)));

/**
 * Runs to its end also if the task is stopped meanwhile, as long as the connection lasts.
 * @throws ServiceError DriverError with `reason: "NotPutBack"` if the file lies under another name afterwards
 */
export function replaceFile({ sftp, warn }: Replacing, part: string, path: string): Promise<void> {
  return sftp.toTheEnd(async (server) => {
    if (server.replacesAtOnce()) {
      const failed = await failureOf(server.replace(part, path));
      if (failed === undefined) return;
      if (!lacksRequest(failed)) throw failed;
    }
    // Some servers replace with the plain request too, and most take it if there is no such file.
    const refused = await failureOf(server.rename(part, path));
    if (refused === undefined) return;
    if (!isAnswer(refused)) throw refused;
    await byTwoNames(server, part, path, refused, warn);
  });
}

async function byTwoNames(
  server: Sftp,
  part: string,
  path: string,
  refused: unknown,
  warn: Replacing["warn"],
): Promise<void> {
  const aside = asideOf(path);
  // Left by a transfer whose connection ended after the new file had its name.
  await server.remove(aside).catch(() => {});
  if ((await failureOf(server.rename(path, aside))) !== undefined) throw refused;
  const failed = await failureOf(server.rename(part, path));
  if (failed !== undefined) {
    const stays = await failureOf(server.rename(aside, path));
    if (stays === undefined) throw failed;
    throw notPutBack({ path, aside, part }, failed, stays);
  }
  warn(
    "The server cannot replace a file in one step (posix-rename): for a moment there was none under the name, while the old one was kept under another",
  );
  const left = await failureOf(server.remove(aside));
  if (left !== undefined) warn(`The old file still lies at ${aside}: ${messageOfServer(left)}`);
}

/** A transfer that was cut off between the two names has left the old file aside. */
export async function restoreAside({ sftp, warn }: Replacing, path: string): Promise<boolean> {
  if (sftp.replacesAtOnce()) return false;
  const aside = asideOf(path);
  const isThere = await sftp.lstat(aside).catch(() => undefined);
  if (isThere?.kind !== "file") return false;
  const failed = await failureOf(sftp.rename(aside, path));
  if (failed !== undefined) return false;
  warn(`An earlier transfer was cut off and had left the old file at ${aside}: it was put back first`);
  return true;
}

function notPutBack(
  { path, aside, part }: { path: string; aside: string; part: string },
  failed: unknown,
  stays: unknown,
): ServiceError {
  const message = `Remote file ${path}: the new file could not get its name (${messageOfServer(failed)}), nor the old one its own again (${messageOfServer(stays)}). There is no file at ${path} now; the old one lies at ${aside}, the new one, complete, at ${part}`;
  return new ServiceError(
    isAnswer(stays) ? "DriverError" : "ConnectionLost",
    message,
    { reason: "NotPutBack", outcome: "unknown" },
    { cause: failed },
  );
}

const isAnswer = (error: unknown) => error instanceof ServiceError && error.kind === "DriverError";

async function failureOf(work: Promise<void>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error;
  }
}
