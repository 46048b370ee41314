/** Starts a child process of this same program with an IPC channel; the only way to stop hostile CPU work is SIGKILL. */
import process from "node:process";

export interface Child<In, Out> {
  readonly pid: number;
  post(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  /** SIGKILL: measured 2-3 ms on a child that is stuck in a regular expression. */
  kill(): void;
  /** Resolves with the exit code (null when it was killed). */
  readonly exited: Promise<number | null>;
  /** Resident memory in bytes, or undefined where the system does not tell. */
  residentBytes(): Promise<number | undefined>;
}

/** @param script the entry to run from source; a compiled binary is its own entry. */
export function spawnChild<In, Out>(script: string | undefined, args: readonly string[]): Child<In, Out> {
  const listeners: ((message: In) => void)[] = [];
  const child = Bun.spawn([process.execPath, ...(script === undefined ? [] : [script]), ...args], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    // Nothing of the parent's environment: it may hold the master key.
    env: { PATH: "", BUN_JSC_useJIT: "1" },
    serialization: "advanced",
    ipc(message: In) {
      for (const listener of listeners) listener(message);
    },
  });
  return {
    pid: child.pid,
    post: (message) => child.send(message),
    onMessage: (listener) => void listeners.push(listener),
    kill: () => child.kill("SIGKILL"),
    exited: child.exited.then(() => child.exitCode),
    async residentBytes() {
      const status = await Bun.file(`/proc/${child.pid}/statm`)
        .text()
        .catch(() => undefined);
      const pages = Number(status?.split(" ")[1]);
      return Number.isFinite(pages) ? pages * 4096 : undefined;
    },
  };
}
