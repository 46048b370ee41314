/** Server-Sent Events of jobs and bulks: a schema per event, with what its `data` holds as JSON. */
import * as v from "valibot";
import { changeNews } from "../changes/change.ts";
import { versionRecord } from "../history/history.ts";
import { described, integer, named, text } from "../schema.ts";
import { bulkRecord } from "./bulk.ts";
import { jobRecord } from "./job.ts";

const { status, held, dry_run, error_type, bulk_id, attempt, host, device } = jobRecord.entries;

/** A change of a job's status, as in its record. */
export const stateData = v.object({
  id: described(text, "Id of the job"),
  bulk_id,
  host,
  device,
  status,
  held,
  dry_run,
  error_type,
  attempt,
  submitted_by: v.exactOptional(
    described(jobRecord.entries.submitted_by, "Absent once the job has been deleted"),
  ),
  at: jobRecord.entries.created_at,
});
export type StateData = v.InferOutput<typeof stateData>;

const jobId = v.exactOptional(described(text, "Id of the job; absent in the stream of one job"));
export const outputData = v.object({
  id: jobId,
  text: described(text, "New output of the device, with secrets masked"),
  missed: v.exactOptional(described(integer, "Characters before it that are no longer kept")),
});
export const progressData = v.object({ id: jobId, bytes_transferred: integer, total_bytes: integer });

const position = v.exactOptional(described(text, "Position in the stream, for `Last-Event-ID`"));

function eventOf<const N extends string, const D extends v.GenericSchema>(
  event: N,
  data: D,
  description: string,
) {
  const name = `${event.charAt(0).toUpperCase()}${event.slice(1)}Event`;
  return named(name, described(v.object({ id: position, event: v.literal(event), data }), description));
}

const events = {
  state: eventOf("state", stateData, "The status of a job has changed"),
  output: eventOf("output", outputData, "Live output of the device"),
  progress: eventOf("progress", progressData, "Progress of a file transfer"),
  elsewhere: eventOf(
    "elsewhere",
    v.object({ id: text, node: text, message: text }),
    "The job runs on another node, and only that node streams its output",
  ),
  bulk: eventOf("bulk", bulkRecord, "Counts of the bulk have changed"),
  end: eventOf("end", v.object({ id: text }), "All jobs of the bulk with this id have ended"),
  version: eventOf("version", versionRecord, "There is a new version of a configuration"),
  change: eventOf("change", changeNews, "Something happened to a change"),
  reset: eventOf(
    "reset",
    v.object({ message: text, read: described(text, "Where to read what was missed") }),
    "Events after the requested position are no longer stored",
  ),
  slow: eventOf("slow", v.object({ message: text }), "The listener fell too far behind: it is disconnected"),
};
/** `data` of each event. */
export type EventData = { [N in keyof typeof events]: v.InferOutput<(typeof events)[N]>["data"] };

const { state, output, progress, elsewhere, bulk, end, version, change, reset, slow } = events;
export const jobEvent = v.union([state, output, progress, elsewhere, reset, slow]);
export const bulkEvent = v.union([bulk, state, output, progress, elsewhere, end, reset, slow]);
export const anyJobEvent = v.union([state, reset, slow]);
export const versionEvent = v.union([version, reset]);
export const changeEvent = v.union([change, reset]);
