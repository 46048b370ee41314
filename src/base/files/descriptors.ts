/**
 * File descriptors of this process: checks whether one is left, since the runtime reports exhaustion as a refused
 * connection.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { ServiceError } from "../errors.ts";

/** @throws ServiceError ResourceExhausted if this process or the machine has none left. */
export function requireDescriptor(): void {
  try {
    closeSync(openSync("/dev/null", "r"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EMFILE" && code !== "ENFILE") return;
    const whose = code === "EMFILE" ? "this process" : "this machine";
    const text = `No file descriptor is left for a connection: ${whose} has reached its limit (ulimit -n, LimitNOFILE=). The device was not contacted.`;
    throw new ServiceError("ResourceExhausted", text, { retryAfter: 5 }, { cause: error });
  }
}

/** File descriptor limit of this process; undefined if the system does not report it. */
export function descriptorLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Number of open file descriptors; undefined if the system does not report it. */
export function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
