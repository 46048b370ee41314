/** When backups are taken: by an expression of cron, one at a time. */
import { Cron } from "croner";
import { messageOf } from "../base/errors.ts";

/** @returns what is wrong with the expression; undefined where nothing is. */
export function cronProblem(expression: string): string | undefined {
  try {
    const cron = new Cron(expression, { paused: true });
    const next = cron.nextRun();
    cron.stop();
    return next === null ? "names no time that is still to come" : undefined;
  } catch (error) {
    return `is no expression of cron: ${messageOf(error)}`;
  }
}

/** Milliseconds between the next two times. */
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
