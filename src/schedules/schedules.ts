/** Assembles schedules: their administration and the runner. */
import { type AdministrationTools, createAdministration } from "./administration.ts";
import type { Schedules } from "./port.ts";
import { createRunner, type Runner, type RunnerTools } from "./runner.ts";

export interface SchedulesOptions
  extends Omit<AdministrationTools, "wake" | "store" | "jobs" | "onFired">,
    Pick<RunnerTools, "work" | "ownerOf" | "log" | "onFired" | "onStopped"> {
  readonly store: AdministrationTools["store"] & RunnerTools["store"];
  readonly jobs: AdministrationTools["jobs"] & RunnerTools["jobs"];
}

/** Nothing fires before `start`. */
export function createSchedules(options: SchedulesOptions): Schedules & Pick<Runner, "start" | "stop"> {
  const { start, stop, wake } = createRunner(options);
  return { ...createAdministration({ ...options, wake }), start, stop };
}
