/** One program takes the place of another in one step; the one before is kept beside it. */
import { copyFileSync, linkSync, renameSync, rmSync } from "node:fs";

export function swapIn(fresh: string, program: string): void {
  const previous = `${program}.previous`;
  rmSync(previous, { force: true });
  // At no moment is there none: the former one has two names until the rename.
  linkSync(program, previous);
  renameSync(fresh, program);
}

export function swapBack(program: string): void {
  const fresh = `${program}.new`;
  rmSync(fresh, { force: true });
  copyFileSync(`${program}.previous`, fresh);
  renameSync(fresh, program);
}
