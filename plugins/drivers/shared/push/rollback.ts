/** Common parts of undoing a push for drivers without a CLI session. */
import { type Context, comparableConfiguration, differingLines, PluginError } from "patchbay/plugin";

/**
 * Time until the device reverts automatically: the rest of the job, one minute in which an undo may still run, and one
 * more.
 */
const marginMs = 120_000;

export function secondsToHold(ctx: Context, requestedS = 0): number {
  return Math.max(requestedS, Math.ceil((ctx.remaining() + marginMs) / 1000));
}

export interface Before {
  /** The configuration before the push. */
  readonly configuration: string;
  /** Lines that change on their own. */
  readonly ignore?: readonly RegExp[] | undefined;
  /** When the device automatically reverts the push, in milliseconds since 1970. */
  readonly revertsAt?: number | undefined;
}

/** @throws PluginError CommandError if the running configuration differs from the one before the push */
export function requireAsBefore(running: string, { configuration, ignore, revertsAt }: Before): void {
  const now = comparableConfiguration(running, ignore);
  const before = comparableConfiguration(configuration, ignore);
  if (now === before) return;
  const late =
    revertsAt === undefined || revertsAt < Date.now()
      ? ""
      : ` The device will roll it back automatically by ${new Date(revertsAt).toISOString()}.`;
  throw new PluginError(
    "CommandError",
    `The push was not completely undone. The running configuration differs from the previous one in:\n${differingLines(now, before)}${late}`,
    { outcome: "unknown" },
  );
}
