/** What the console reads of schedules. */
import * as v from "valibot";
import { firingRecord, scheduleRecord } from "../../api/schedules/schedule.ts";
import { reader } from "../../api/schema.ts";

export { schedulePreview as preview } from "../../api/schedules/schedule.ts";

export const firing = reader(firingRecord);
export const schedule = reader(scheduleRecord);
const made = v.pick(v.object(scheduleRecord.entries), ["id"]);
export const madeSchedule = reader(made);
export type Schedule = v.InferOutput<typeof schedule>;
type Firing = v.InferOutput<typeof firing>;

const failed: readonly Firing["status"][] = ["failed", "missed", "skipped"];

/** How a firing is told: devices that failed count as well, and what is done may have a reason, too. */
export function toldFiring({ status, result }: Firing) {
  const count = result?.counts.failed ?? 0;
  return {
    look: count > 0 || failed.includes(status) ? "problem" : status === "done" ? "faint" : "warning",
    said: count > 0 ? `${status}, ${count} failed` : status,
  } as const;
}

export const times = ["cron", "every", "at"] as const;
export type Time = (typeof times)[number];
