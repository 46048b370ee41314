/** Clears up after this process when it dies without doing so: a test run that is killed must not leave servers behind. */
import { spawn } from "node:child_process";

/**
 * Runs the command once this process is gone, whatever ended it. A small shell waits for the end of a pipe that
 * only this process holds.
 * @returns the way to call it off.
 */
export function afterDeath(command: readonly string[]): () => void {
  const waiting = spawn("sh", ["-c", 'cat > /dev/null; exec "$@"', "sh", ...command], {
    // Out of the group that a Ctrl-C in a terminal ends.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  waiting.unref();
  return () => waiting.kill("SIGKILL");
}

/** Ends a process by its id: asks first. */
export const endProcess = (pid: number) => [
  "sh",
  "-c",
  'kill "$1"; sleep 1; kill -9 "$1"',
  "sh",
  String(pid),
];

export const removeFolder = (path: string) => ["sh", "-c", 'sleep 2; rm -rf "$1"', "sh", path];
