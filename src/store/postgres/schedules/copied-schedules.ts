/** Schedules that were on hold since the data directory was copied, before it was moved here. */
import type { Statement } from "../database/statement.ts";

const why = "the data directory was copied or restored: resume it where it is to run";

export const resumeSchedules: Statement = {
  sql: `update schedules set state = 'active', why = null, next_at = next_due
where state = 'paused' and why = :why and next_due is not null`,
  args: { why },
};
