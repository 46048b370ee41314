/** Asks a driver about a request before it is stored. */

import type { Payload } from "../../../api/jobs/request.ts";
import { isRecord } from "../../../base/json/members.ts";
import type { Command, DriverPlugin } from "../../../plugin/index.ts";
import { pluginFault } from "../../../registry/plugin-fault.ts";
import type { Issue } from "../validate.ts";

/** Whether a job may be repeated when it is unknown whether it ran: a push never, whatever its driver says. */
export function repeatable(
  driver: DriverPlugin,
  { operation, commands = [] }: Payload,
  args: unknown,
): boolean {
  if (operation !== "query") return false;
  // Anything else, such as a promise, does not promise it.
  return driver.repeatable ? driver.repeatable("query", args, commands) === true : true;
}

/**
 * Issues with the combination of commands and arguments.
 * @throws ServiceError DriverError
 */
export function faultsOf(
  driver: DriverPlugin,
  commands: readonly Command[],
  args: unknown,
  isParsed = false,
): Issue[] {
  return issuesOf(driver, "check", driver.check?.(commands, args, isParsed));
}

/** @throws ServiceError DriverError: they are not what the contract says */
export function issuesOf(driver: DriverPlugin, member: string, faults: unknown): Issue[] {
  if (faults === undefined || faults === null) return [];
  if (!Array.isArray(faults)) throw pluginFault(driver, member, "it returned no list of faults");
  return faults.map((fault: unknown) => {
    const { path, message } = isRecord(fault) ? fault : { path: "", message: fault };
    return { path: String(path), message: String(message) };
  });
}

/** @param args as given, or as output by the schema of the driver */
export function isDryRun(args: unknown): boolean {
  return isRecord(args) && args.dry_run === true;
}
