/** What a driver says of a request before it is stored. */

import type { Payload } from "../model/request.ts";
import type { Command, DriverPlugin } from "../plugin/index.ts";
import type { Issue } from "./issues.ts";

/** Whether a job may be run again where nobody knows whether it ran. */
export function repeatable(
  driver: DriverPlugin,
  { operation, commands = [] }: Payload,
  args: unknown,
): boolean {
  const kind = operation === "query" ? "query" : "configure";
  return driver.repeatable ? driver.repeatable(kind, args, commands) : operation === "query";
}

/** What is wrong with commands and arguments together; a driver that fails to tell does so again on its thread, where it is told as its fault. */
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
