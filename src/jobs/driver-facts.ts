/** Asks a driver about a request before it is stored. */

import type { Payload } from "../model/request.ts";
import type { Command, DriverPlugin } from "../plugin/index.ts";
import type { Issue } from "./issues.ts";

/** Whether a job may be repeated when it is unknown whether it ran. */
export function repeatable(
  driver: DriverPlugin,
  { operation, commands = [] }: Payload,
  args: unknown,
): boolean {
  const kind = operation === "query" ? "query" : "configure";
  return driver.repeatable ? driver.repeatable(kind, args, commands) : operation === "query";
}

/**
 * Issues with the combination of commands and arguments. If the driver throws, it will again on the worker thread,
 * where its fault is reported.
 */
export function faultsOf(
  driver: DriverPlugin,
  commands: readonly Command[],
  args: unknown,
  isParsed = false,
): Issue[] {
  try {
    const faults = driver.check?.(commands, args, isParsed) ?? [];
    return faults.map(({ path, message }) => ({ path: String(path), message: String(message) }));
  } catch {
    return [];
  }
}
