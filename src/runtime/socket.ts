/** The file of a Unix socket: one that nobody listens on any more is taken away, one that is alive stays. */
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { net } from "../base/on-demand.ts";

/**
 * Makes room for a socket at `path`.
 * @returns false when something stands there that is in use, or that is no socket.
 */
export async function moveStaleSocket(path: string): Promise<boolean> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (!stat.isSocket() || (await answers(path))) return false;
  // Of two that start at once only one moves it; what was moved is looked at again, it may be the other one's by now.
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

/** How the folders begin that hold sockets of connections whose TLS ends in the service. */
export const frontPrefix = "front-";

/** One that was killed has left its own: a data directory has one service, so none of those that are there is alive. */
export function removeFronts(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(frontPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Makes a socket that nobody else may use, then opens it to those who may. @throws what the system says */
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
    // Refused: nobody listens. Anything else (no permission, a full queue) may hide a living one.
    socket.once("error", (error) => end(!("code" in error && error.code === "ECONNREFUSED")));
  });
}
