/** Checks who can modify a plugin: its code runs with all rights of the service. */
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";

/** The relevant fields of stat. */
export interface Owned {
  readonly uid: number;
  readonly mode: number;
}

/**
 * @param folder of a folder plugin: any file in it may be part of its code.
 * @returns why it is not loaded; undefined if only root and the service account can modify it.
 */
export async function whyUntrusted(path: string, folder?: string): Promise<string | undefined> {
  const uid = process.getuid?.();
  for (const place of [path, dirname(path)]) {
    const why = whyNot(place, await stat(place), uid);
    if (why !== undefined) return why;
  }
  return folder === undefined || uid === undefined ? undefined : whyNotBelow(folder, uid);
}

/** Checks the target of a link, but does not descend into it. Unreadable files cannot be run. */
async function whyNotBelow(folder: string, serviceUid: number): Promise<string | undefined> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const place = join(folder, entry.name);
    const found = await stat(place).catch(() => undefined);
    const why =
      (found && whyNot(place, found, serviceUid)) ??
      (entry.isDirectory() ? await whyNotBelow(place, serviceUid) : undefined);
    if (why !== undefined) return why;
  }
  return undefined;
}

const kindOfFile = 0o170000;
const folderMode = 0o040000;

export function whyNot(
  path: string,
  { uid, mode }: Owned,
  serviceUid: number | undefined,
): string | undefined {
  if (serviceUid === undefined) return undefined;
  // In a sticky folder such as /tmp anyone may add files, but only the owner may change them. On a file the bit means
  // nothing.
  const sticky = (mode & kindOfFile) === folderMode && (mode & 0o1000) !== 0;
  if ((mode & 0o002) !== 0 && !sticky)
    return `${path} is writable by every account: run chmod o-w, or anyone could run code here`;
  if (uid !== 0 && uid !== serviceUid && !sticky)
    return `${path} belongs to another account (uid ${uid}): chown it to root or to the account that runs patchbay`;
  return undefined;
}
