/** Lets a command run by root act as the owner of the data directory, so that its files belong to the service. */
import { lchownSync, statSync } from "node:fs";
import process from "node:process";

/** For the rest of the process; does nothing if the directory is missing or owned by root. */
export function actAsOwner(directory: string): void {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || stat === undefined || stat.uid === 0) return;
  process.setegid?.(stat.gid);
  process.seteuid?.(stat.uid);
}

/**
 * For files that root has just created in it. The owner may have replaced one with a link, so links are not followed.
 */
export function giveToOwner(directory: string, files: readonly string[]): void {
  const stat = statSync(directory);
  if (process.getuid?.() !== 0 || stat.uid === 0) return;
  for (const file of files) lchownSync(file, stat.uid, stat.gid);
}
