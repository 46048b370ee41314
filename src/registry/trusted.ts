/** Whose code a plugin is: files that another account may change run with all that the service may do. */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";

/** What stat tells of it. */
export interface Owned {
  readonly uid: number;
  readonly mode: number;
}

/** @returns why it is not loaded; undefined when only root and this account may change it. */
export async function whyUntrusted(path: string): Promise<string | undefined> {
  for (const place of [path, dirname(path)]) {
    const why = whyNot(place, await stat(place), process.getuid?.());
    if (why !== undefined) return why;
  }
  return undefined;
}

export function whyNot(
  path: string,
  { uid, mode }: Owned,
  serviceUid: number | undefined,
): string | undefined {
  if (serviceUid === undefined) return undefined;
  // In a folder such as /tmp everybody may add files, and only the owner may change one.
  const sticky = (mode & 0o1000) !== 0;
  if ((mode & 0o002) !== 0 && !sticky)
    return `every account may write to ${path}: chmod o-w it, or it could be made to run anything`;
  if (uid !== 0 && uid !== serviceUid && !sticky)
    return `${path} belongs to another account (uid ${uid}): chown it to root or to the account that runs patchbay`;
  return undefined;
}
