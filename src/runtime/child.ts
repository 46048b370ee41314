/** Starts a child process of this program with an IPC channel; only SIGKILL can stop hostile CPU-bound work. */
import process from "node:process";
import { deno, forkDenoChild } from "./deno.ts";
import { type Child, type Usage, usageOf } from "./usage.ts";

export type { Child, Usage };

/** The runtime sizes its heap by the machine's memory; a child should use a small part of it. */
const collectAsIfBytes = String(256 * 1024 * 1024);

/**
 * Environment of a child: nothing from the parent's, which may hold the master key. The threshold of the last JIT tier
 * is raised fifteenfold: that tier took half of the CPU time in a process's first minute (parsing 1,057 outputs for the
 * first time: 1.05 s instead of 1.47 s), and really hot code still reaches it.
 */
export const childEnvironment: Readonly<Record<string, string>> = {
  PATH: "",
  BUN_JSC_useJIT: "1",
  BUN_JSC_forceRAMSize: collectAsIfBytes,
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
};

export interface ChildOptions {
  /** Like the service itself, for code that it trusts: its environment, but its output is dropped. */
  readonly asService?: boolean;
}

/** @param script the entry to run from source; a compiled binary is its own entry. */
export function spawnChild<In, Out>(
  script: string | undefined,
  args: readonly string[],
  { asService = false }: ChildOptions = {},
): Child<In, Out> {
  if (deno !== undefined) return forkDenoChild(script, args, asService);
  const output = asService ? "ignore" : "inherit";
  const listeners: ((message: In) => void)[] = [];
  const child = Bun.spawn([process.execPath, ...(script === undefined ? [] : [script]), ...args], {
    stdin: "ignore",
    stdout: output,
    stderr: output,
    env: asService ? process.env : childEnvironment,
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
