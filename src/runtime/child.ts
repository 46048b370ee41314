/** Starts a child process of this same program with an IPC channel; the only way to stop hostile CPU work is SIGKILL. */
import process from "node:process";
import { deno } from "./deno.ts";
import { forkDenoChild } from "./deno-child.ts";
import { type Child, type Usage, usageOf } from "./usage.ts";

export type { Child, Usage };

/** How often garbage is collected goes by the memory of the machine: a child is to take a small part of it. */
const collectAsIfBytes = String(256 * 1024 * 1024);

/**
 * What a child has of an environment: nothing of the parent's, which may hold the master key. The last tier of the
 * compiler comes fifteen times later than by default: it took half of the processor time of the first minute of a
 * process (1,057 outputs parsed for the first time: 1.05 s in place of 1.47 s), and what is really hot still gets it.
 */
export const childEnvironment: Readonly<Record<string, string>> = {
  PATH: "",
  BUN_JSC_useJIT: "1",
  BUN_JSC_forceRAMSize: collectAsIfBytes,
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
};

/** @param script the entry to run from source; a compiled binary is its own entry. */
export function spawnChild<In, Out>(script: string | undefined, args: readonly string[]): Child<In, Out> {
  if (deno !== undefined) return forkDenoChild(script, args);
  const listeners: ((message: In) => void)[] = [];
  const child = Bun.spawn([process.execPath, ...(script === undefined ? [] : [script]), ...args], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    env: childEnvironment,
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
    usage: () => usageOf(child.pid),
  };
}
