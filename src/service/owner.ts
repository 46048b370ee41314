/** A command that root runs works as the account that owns the data directory: what it makes there is the service's. */
import { lchownSync, statSync } from "node:fs";
import process from "node:process";

/** For the rest of the process; nothing where the directory is not there, or root's own. */
export function actAsOwner(directory: string): void {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || stat === undefined || stat.uid === 0) return;
  process.setegid?.(stat.gid);
  process.seteuid?.(stat.uid);
}

/** Files that root has just made in it. Its owner may have put a link in the place of one: what that names is not given away. */
export function giveToOwner(directory: string, files: readonly string[]): void {
  const stat = statSync(directory);
  if (process.getuid?.() !== 0 || stat.uid === 0) return;
  for (const file of files) lchownSync(file, stat.uid, stat.gid);
}
