/** What the ways to take a push back have in common, where no command line is in between. */
import { type Context, comparableConfiguration, differingLines, PluginError } from "patchbay/plugin";

/** Until a device takes a push back by itself: what is left of the job, the minute in which one may still be taken back, and one more. */
const marginMs = 120_000;

export function secondsToHold(ctx: Context, asked = 0): number {
  return Math.max(asked, Math.ceil((ctx.remaining() + marginMs) / 1000));
}

export interface Before {
  /** What ran before the push. */
  readonly configuration: string;
  /** Lines that change by themselves. */
  readonly ignore?: readonly RegExp[] | undefined;
  /** When the device takes the push back by itself, in milliseconds since 1970. */
  readonly revertsAt?: number | undefined;
}

/** @throws PluginError CommandError: what runs is not what ran before the push */
export function requireAsBefore(running: string, { configuration, ignore, revertsAt }: Before): void {
  const now = comparableConfiguration(running, ignore);
  const before = comparableConfiguration(configuration, ignore);
  if (now === before) return;
  const late =
    revertsAt === undefined || revertsAt < Date.now()
      ? ""
      : ` The device takes it back by itself by ${new Date(revertsAt).toISOString()}.`;
  throw new PluginError(
    "CommandError",
    `The push was not taken back as a whole: what runs differs from what ran before it in\n${differingLines(now, before)}${late}`,
    { outcome: "unknown" },
  );
}
