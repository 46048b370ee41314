/**
 * Schedules of a copied data directory are put on hold until they are resumed, because the original may still fire
 * them.
 */
import type { Statement } from "../../sql/statement.ts";

const why = "the data directory was copied or restored: resume it where it is to run";

/** The next time is kept, for when all schedules are resumed. */
export const holdSchedules: readonly Statement[] = [
  {
    sql: "update schedules set state = 'paused', why = :why, next_at = null where state = 'active'",
    args: { why },
  },
  {
    sql: `update firings set status = 'missed', reason = 'the data directory was copied before it was submitted',
  node = null, generation = null, spec = null, request = null where status in ('waiting', 'submitting')`,
    args: {},
  },
];

export const resumeSchedules: Statement = {
  sql: `update schedules set state = 'active', why = null, next_at = next_due
where state = 'paused' and why = :why and next_due is not null`,
  args: { why },
};
