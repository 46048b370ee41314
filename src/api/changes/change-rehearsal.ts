/** Rehearsals of changes: what is known of the lines of each device before they are sent. */
import * as v from "valibot";
import { gradeCounts } from "../rehearsal/rehearsal.ts";
import { described, field, integer, moment, named, text } from "../schema.ts";

/** Body of POST /change/{name}/rehearse. */
export const changeRehearsalRequest = named(
  "ChangeRehearsalRequest",
  v.strictObject({
    revision: described(field(integer), "Only if it still has this revision"),
    missing: described(
      field(v.boolean()),
      "`true`: only devices of which the plan that is there now has no rehearsal yet",
    ),
  }),
);

/** What the lines of all devices are. It counts only for the plan that it was made of. */
export const changeRehearsal = named(
  "ChangeRehearsal",
  v.object({
    bulk_id: described(text, "The rehearsals that were begun last, one job for each device"),
    at: moment,
    revision: integer,
    hash: described(text, "Of the plan that was rehearsed"),
    stale: described(v.boolean(), "The plan is another one since: it counts for nothing any more"),
    devices: described(integer, "Devices of the plan"),
    rehearsed: described(integer, "Devices whose lines have grades; the others: see the jobs of `bulk_id`"),
    refusing: described(integer, "Devices with lines that will probably be refused"),
    grades: described(gradeCounts, "Lines of all devices"),
  }),
);

export const targetRehearsal = v.object({
  job_id: described(text, "Its result has the grade of each line, what would change and the way back"),
  at: moment,
  grades: gradeCounts,
  refusals: described(integer, "Lines that will probably be refused"),
});

/** What the service keeps of the rehearsal that was begun last. */
export const begunRehearsal = v.object({
  bulkId: v.string(),
  at: v.number(),
  revision: v.number(),
  hash: v.string(),
});
