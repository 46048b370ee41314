/** Schedules put together: those that callers see and change, and what fires them. */
import { type AdministrationTools, createAdministration } from "./administration.ts";
import type { Schedules } from "./port.ts";
import { createRunner, type Runner, type RunnerTools } from "./runner.ts";

export interface SchedulesOptions
  extends Omit<AdministrationTools, "wake" | "store" | "jobs" | "onFired">,
    Pick<RunnerTools, "work" | "ownerOf" | "log" | "onFired" | "onStopped"> {
  readonly store: AdministrationTools["store"] & RunnerTools["store"];
  readonly jobs: AdministrationTools["jobs"] & RunnerTools["jobs"];
}

/** Nothing fires until it is started. */
export function createSchedules(options: SchedulesOptions): Schedules & Pick<Runner, "start" | "stop"> {
  const { start, stop, wake } = createRunner(options);
  return { ...createAdministration({ ...options, wake }), start, stop };
}
