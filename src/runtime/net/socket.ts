/** Manages Unix socket files: removes one that no process listens on, keeps one that is alive. */
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { net } from "../../base/lazy-modules.ts";

/**
 * Makes room for a socket at `path`.
 * @returns false if the path is a socket in use, or not a socket.
 */
export async function moveStaleSocket(path: string): Promise<boolean> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (!stat.isSocket() || (await answers(path))) return false;
  // If two processes start at once, only one renames it, and checks again: it may be the other's new socket by now.
  const moved = `${path}.${process.pid}`;
  try {
    renameSync(path, moved);
  } catch {
    return true;
  }
  if (await answers(moved)) {
    renameSync(moved, path);
    return false;
  }
  rmSync(moved, { force: true });
  return true;
}

/** Prefix of the folders with sockets for connections whose TLS the service terminates. */
export const terminatorPrefix = "front-";

/** Removes folders left by a killed process: a data directory has one service, so none of them is in use. */
export function removeTerminatorSockets(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(terminatorPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
}

/**
 * Creates a socket that is accessible to no one else, then applies the mode.
 * @throws the error of the system
 */
export function withMode<T>(
  { unix, mode = 0o600, group }: { unix?: string; mode?: number; group?: number | undefined },
  listen: () => T,
): T {
  if (unix === undefined) return listen();
  const before = process.umask(0o177);
  try {
    const listening = listen();
    if (group !== undefined) chownSync(unix, -1, group);
    chmodSync(unix, mode);
    return listening;
  } finally {
    process.umask(before);
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net().connect(path);
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", () => end(true));
    // ECONNREFUSED: no listener. Any other error (no permission, a full queue) may hide a live one.
    socket.once("error", (error) => end(!("code" in error && error.code === "ECONNREFUSED")));
  });
}
