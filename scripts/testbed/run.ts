/** Runs a short command to completion. */
import { spawnSync } from "node:child_process";

export interface RunOptions {
  readonly input?: string;
  readonly mustSucceed?: boolean;
}

export function run(command: readonly string[], options: RunOptions = {}) {
  const [program = "", ...args] = command;
  const { input, mustSucceed } = options;
  const result = spawnSync(program, args, { encoding: "utf8", ...(input === undefined ? {} : { input }) });
  if (mustSucceed && result.status !== 0) {
    throw new Error(
      `${command.join(" ")}: ${(result.stderr || String(result.error ?? result.status)).trim()}`,
    );
  }
  return { status: result.status, stdout: result.stdout ?? "", stderr: result.stderr ?? "" };
}
