/** When a source was last synced, and when its schedules sync it next. */
import type { Source, SourceRun } from "../../shapes/inventory.ts";
import type { Schedule } from "../../shapes/schedules.ts";

export interface NextSync {
  readonly at: string;
  /** The schedule that runs it. */
  readonly schedule: string;
}

/** The newest run that was not a dry run. */
export function lastSync({ runs }: Pick<Source, "runs">): SourceRun | undefined {
  return runs.find(({ dry_run }) => !dry_run);
}

/** The earliest among all schedules that sync this source. */
export function nextSync(
  name: string,
  schedules: readonly Pick<Schedule, "id" | "state" | "what" | "next">[],
): NextSync | undefined {
  const times = schedules
    .filter(({ state, what }) => state === "active" && what.kind === "sync" && isSame(what.source, name))
    .flatMap(({ id, next }) => next.slice(0, 1).map((at) => ({ at, schedule: id })));
  return times.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
}

/** Names are case-insensitive. */
function isSame(candidate: unknown, name: string): boolean {
  return typeof candidate === "string" && candidate.toLowerCase() === name.toLowerCase();
}
