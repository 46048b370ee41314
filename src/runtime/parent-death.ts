/** Lets the system kill this process when its parent is gone: one that computes does not notice by itself. Linux only. */
import { FFIType } from "bun:ffi";
import { constants } from "node:os";
import { openLibrary } from "./c-library.ts";

const { i32, u64 } = FFIType;
/** PR_SET_PDEATHSIG, see prctl(2). */
const setParentDeathSignal = 1;

export function dieWithParent(): void {
  const system = openLibrary({ prctl: { args: [i32, u64, u64, u64, u64], returns: i32 } });
  system?.prctl(setParentDeathSignal, BigInt(constants.signals.SIGKILL), 0n, 0n, 0n);
}
