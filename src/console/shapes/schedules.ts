/** What the console reads of schedules. */
import type * as v from "valibot";
import { firingRecord, scheduleRecord } from "../../api/schedules/schedule.ts";
import { reader } from "../../api/schema.ts";

export { schedulePreview as preview } from "../../api/schedules/schedule.ts";

export const firing = reader(firingRecord);
export const schedule = reader(scheduleRecord);
export type Schedule = v.InferOutput<typeof schedule>;

export const times = ["cron", "every", "at"] as const;
export type Time = (typeof times)[number];
