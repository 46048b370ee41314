/** Runs scheduled backups by a cron expression, one at a time. */
import { Cron } from "croner";
import { messageOf } from "../base/errors.ts";

/** @returns the error in the expression; undefined if it is valid. */
export function cronProblem(expression: string): string | undefined {
  try {
    const cron = new Cron(expression, { paused: true });
    const next = cron.nextRun();
    cron.stop();
    return next === null ? "has no time in the future" : undefined;
  } catch (error) {
    return `is not a cron expression: ${messageOf(error)}`;
  }
}

/** Milliseconds between the next two runs. */
export function cronPeriodMs(expression: string, timezone: string): number {
  const cron = new Cron(expression, { paused: true, timezone });
  const [first, second] = cron.nextRuns(2);
  cron.stop();
  return first === undefined || second === undefined ? 0 : second.getTime() - first.getTime();
}

/** @param run never rejects */
export function scheduleBackups(
  expression: string,
  timezone: string,
  run: () => Promise<void>,
): { stop(): void } {
  const cron = new Cron(expression, { timezone, protect: true }, run);
  return { stop: () => cron.stop() };
}
