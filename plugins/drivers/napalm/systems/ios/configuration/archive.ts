/** The device's configuration archive: whether it is enabled, and who has a commit waiting for confirmation. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { boundedText } from "../../../common/bounded.ts";
import { firstGroup } from "../../../common/text.ts";
import type { Pending } from "../../../system.ts";

const leastS = 60;
export const maxRevertS = 7200;

export async function hasArchive(cli: CliSession, ctx: Context): Promise<boolean> {
  const output = boundedText(await cli.send("show archive", {}, ctx));
  return !/not enabled|^\s*%/im.test(output);
}

export async function pendingCommit(
  cli: CliSession,
  ctx: Context,
): Promise<(Pending & { readonly user: string }) | undefined> {
  if (!(await hasArchive(cli, ctx))) return undefined;
  const output = boundedText(await cli.send("show archive config rollback timer", {}, ctx));
  const user = firstGroup(/^\s*User:\s*(\S+)/m, output);
  if (user === undefined || /No Rollback Confirmed Change pending/.test(output)) return undefined;
  const minutes = firstGroup(/^\s*Timer value:\s*(\d+) min/m, output);
  const startedAt = timeOf(firstGroup(/^\s*Time configured[^:]*:\s*(\S.*)$/m, output));
  const now = timeOf(await cli.send("show clock", {}, ctx));
  const remainingS =
    minutes === undefined || startedAt === undefined || now === undefined
      ? undefined
      : Math.max(0, Math.round(Number(minutes) * 60 - (now - startedAt) / 1000));
  return { handle: user, user, ...(remainingS === undefined ? {} : { revertsIn: remainingS }) };
}

/** `22:50:48 UTC Mon Nov 9 2015`, `*22:50:48.123 UTC Mon Nov 9 2015`; used only for comparisons. */
function timeOf(text: string | undefined): number | undefined {
  const [, clock, date] =
    /(\d{2}:\d{2}:\d{2})(?:\.\d+)? \S+ \w{3} (\w{3} \d{1,2} \d{4})/.exec(text ?? "") ?? [];
  const time = Date.parse(`${date} ${clock} UTC`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Whole minutes, as the device counts.
 * @throws PluginError DriverError before anything is sent
 */
export function minutesOf(revertIn: number, warn: (message: string) => void): number {
  if (revertIn < leastS || revertIn > maxRevertS) {
    throw new PluginError(
      "DriverError",
      `revert_in: must be ${leastS} to ${maxRevertS} seconds for ios, not ${revertIn}.`,
      { outcome: "none" },
    );
  }
  const minutes = Math.floor(revertIn / 60);
  if (minutes * 60 !== revertIn)
    warn(`revert_in: ios counts whole minutes, so ${minutes * 60} seconds are used`);
  return minutes;
}

export function waits({ user, revertsIn }: Pending): PluginError {
  const remaining = revertsIn === undefined ? "" : ` (${revertsIn} s left)`;
  return new PluginError(
    "CommandError",
    `A commit of the user ${user} is waiting for confirmation${remaining}: send confirm_commit or rollback first.`,
    { outcome: "none" },
  );
}
