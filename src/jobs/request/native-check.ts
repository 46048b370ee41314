/** Whether a rehearsal asks the device to check the lines itself, and with which arguments. */
import { committingArgs } from "../../api/jobs/request.ts";
import type { RehearsalPlan } from "../../api/rehearsal/rehearsal.ts";
import type { DriverPlugin, PlatformPlugin } from "../../plugin/index.ts";
import type { Plugins } from "./device/connection.ts";
import { isDryRun } from "./device/driver-facts.ts";
import type { Issue } from "./validate.ts";

type Args = Readonly<Record<string, unknown>>;

interface Tools {
  /** The caller's lines may be sent to a device before a push. */
  readonly asksDevices: boolean;
  readonly platform: PlatformPlugin | undefined;
  readonly plugins: Plugins;
  argsOf(
    driver: DriverPlugin,
    operation: "config",
    args: Record<string, unknown>,
  ): Promise<{ readonly issues: readonly Issue[]; readonly output: unknown }>;
}

/** @param connection undefined: it is not valid */
export async function nativeCheck(
  driver: DriverPlugin,
  connection: unknown,
  given: Args,
  { asksDevices, platform, ...tools }: Tools,
): Promise<Pick<RehearsalPlan, "native" | "unasked" | "commits">> {
  const args = await nativeArgs(driver, connection, given, tools);
  const isLeftOut = args === null && (await nativeArgs(driver, connection, {}, tools)) !== null;
  const commits = args !== null || isLeftOut || platform?.candidate !== undefined;
  if (args !== null && asksDevices) return { native: args, commits };
  return {
    ...{ native: null, commits },
    unasked: args !== null ? "not_voted" : isLeftOut ? "arguments" : "no_check",
  };
}

/** Those of a dry run that the device itself compares; null: it cannot. */
async function nativeArgs(
  driver: DriverPlugin,
  connection: unknown,
  given: Args,
  { plugins, argsOf }: Pick<Tools, "plugins" | "argsOf">,
): Promise<Record<string, unknown> | null> {
  const { compares, rehearses = () => ({}) } = driver;
  if (compares === undefined) return null;
  const kept = Object.entries(given).filter(([name]) => !committingArgs.has(name));
  const args = { ...Object.fromEntries(kept), dry_run: true };
  const checked = await argsOf(driver, "config", args);
  if (checked.issues.length > 0 || !isDryRun(checked.output) || connection === undefined) return null;
  const find = (name: string) => plugins.get("platform", name);
  if (compares(connection, checked.output, find) !== true) return null;
  const more = rehearses(connection, checked.output, find);
  return more === undefined ? null : { ...args, ...more };
}
