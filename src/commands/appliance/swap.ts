/** Replaces the installed program atomically, and keeps the previous one next to it. */
import { copyFileSync, linkSync, renameSync, rmSync } from "node:fs";

export function swapIn(fresh: string, program: string): void {
  const previous = `${program}.previous`;
  rmSync(previous, { force: true });
  // The path always exists: the previous program has two names until the rename.
  linkSync(program, previous);
  renameSync(fresh, program);
}

export function swapBack(program: string): void {
  const fresh = `${program}.new`;
  rmSync(fresh, { force: true });
  copyFileSync(`${program}.previous`, fresh);
  renameSync(fresh, program);
}
