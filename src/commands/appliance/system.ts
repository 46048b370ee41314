/** Runs the system tools that install, uninstall and upgrade need. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { ServiceError } from "../../base/errors.ts";

export interface Ran {
  readonly ok: boolean;
  /** Standard output and standard error. */
  readonly text: string;
  /** The program does not exist. */
  readonly missing: boolean;
}

/** Also searched for accounts without `/usr/sbin` in their PATH. */
const places = ["", "/usr/sbin/", "/sbin/"];

export function run(program: string, args: readonly string[], timeoutMs = 120_000): Ran {
  for (const place of program.startsWith("/") ? [""] : places) {
    const result = spawnSync(place + program, args, { encoding: "utf8", timeout: timeoutMs });
    if (result.error !== undefined && "code" in result.error && result.error.code === "ENOENT") continue;
    const text = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim();
    return { ok: result.status === 0, text: result.error?.message ?? text, missing: false };
  }
  return { ok: false, text: `${program} is not available on this system`, missing: true };
}

/** @throws ServiceError Unavailable with the output of the program. */
export function mustRun(program: string, ...args: string[]): void {
  const { ok, text } = run(program, args);
  if (!ok) throw new ServiceError("Unavailable", `${program} ${args.join(" ")} failed: ${text}`);
}

/** Whether the machine was booted with systemd. */
export function hasSystemd(): boolean {
  return existsSync("/run/systemd/system");
}

/** @throws ServiceError Forbidden */
export function requireRoot(action: string): void {
  if (process.getuid?.() !== 0)
    throw new ServiceError(
      "Forbidden",
      `${action} changes the system: run it as root, or preview it with --dry-run.`,
    );
}
