/** File descriptors of this process: whether one is left. The runtime tells a lack of them as a refused connection. */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { ServiceError } from "./errors.ts";

/** @throws ServiceError ResourceExhausted when this process or the machine has none left. */
export function requireDescriptor(): void {
  try {
    closeSync(openSync("/dev/null", "r"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EMFILE" && code !== "ENFILE") return;
    const whose = code === "EMFILE" ? "this process" : "this machine";
    const text = `No file descriptor is left for a connection: ${whose} has reached its limit (ulimit -n, LimitNOFILE=). The device was not asked.`;
    throw new ServiceError("ResourceExhausted", text, { retryAfter: 5 }, { cause: error });
  }
}

/** How many this process may have; undefined where the system does not say. */
export function descriptorLimit(): number | undefined {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** How many this process has; undefined where the system does not say. */
export function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
