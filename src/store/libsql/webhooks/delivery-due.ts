/** Makes the webhook of a job due, in the transaction that ends the job. */
import type { JobEnd } from "../../port.ts";
import { steadyNow } from "../database/database.ts";
import type { Statement } from "../database/statement.ts";

/** Runs after the update of the job, and does nothing if that did not end the job. */
export function deliveryDue({ id, status }: Pick<JobEnd, "id" | "status">, now: number | null): Statement {
  return {
    sql: `update deliveries set event = :event, next_t = ${steadyNow},
  state = case
    when events is null or not json_valid(events) then 'pending'
    when exists (select 1 from json_each(events) where value = :event) then 'pending'
    else 'skipped' end,
  ended_n = (select coalesce(max(ended_n), 0) + 1 from deliveries)
where job_id = :id and state = 'waiting' and exists (select 1 from jobs where id = :id and +status = :status)`,
    args: { id, status, event: `job.${status}`, now },
  };
}
