/** Cleans up after this process if it is killed: a killed test run must not leave servers behind. */
import { spawn } from "node:child_process";

/**
 * Runs the command when this process ends for any reason. A small shell waits for EOF of a pipe that only
 * this process holds.
 * @returns a function that cancels it.
 */
export function afterDeath(command: readonly string[]): () => void {
  const waiting = spawn("sh", ["-c", 'cat > /dev/null; exec "$@"', "sh", ...command], {
    // In its own process group, so that Ctrl-C in a terminal does not end it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  waiting.unref();
  return () => waiting.kill("SIGKILL");
}

/** A command that ends a process by id: SIGTERM first. */
export const endProcess = (pid: number) => [
  "sh",
  "-c",
  'kill "$1"; sleep 1; kill -9 "$1"',
  "sh",
  String(pid),
];

export const removeFolder = (path: string) => ["sh", "-c", 'sleep 2; rm -rf "$1"', "sh", path];
