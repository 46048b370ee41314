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
  /** What it has used since its birth; undefined where the system does not tell, or when it has gone. */
  usage(): Promise<Usage | undefined>;
}

export interface Usage {
  /** Computed on all its threads, in user and system mode; the system counts in steps of 10 ms. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** Linux gives all programs the same tick, whatever its kernel was built with. */
const msPerTick = 10;
const pageBytes = 4096;

/** How often garbage is collected goes by the memory of the machine: a child is to take a small part of it. */
const collectAsIfBytes = String(128 * 1024 * 1024);

/** @param script the entry to run from source; a compiled binary is its own entry. */
export function spawnChild<In, Out>(script: string | undefined, args: readonly string[]): Child<In, Out> {
  const listeners: ((message: In) => void)[] = [];
  const child = Bun.spawn([process.execPath, ...(script === undefined ? [] : [script]), ...args], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    // Nothing of the parent's environment: it may hold the master key.
    env: { PATH: "", BUN_JSC_useJIT: "1", BUN_JSC_forceRAMSize: collectAsIfBytes },
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
    async usage() {
      const stat = await Bun.file(`/proc/${child.pid}/stat`)
        .text()
        .catch(() => "");
      // The second field is the program's name in parentheses, which may hold anything: fields are counted after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [ticks, pages] = [Number(fields[11]) + Number(fields[12]), Number(fields[21])];
      if (!Number.isFinite(ticks) || !Number.isFinite(pages)) return undefined;
      return { cpuMs: ticks * msPerTick, residentBytes: pages * pageBytes };
    },
  };
}
