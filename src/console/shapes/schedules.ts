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

export const times = ["cron", "every", "at"] as const;
export type Time = (typeof times)[number];
