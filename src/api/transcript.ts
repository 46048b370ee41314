/** What a push sent and received, as in GET /job/{name}/sent. */
import * as v from "valibot";

/** The sealed part. */
export const transcriptContent = v.object({
  /** As rendered, without secrets. */
  lines: v.array(v.string()),
  /** What the device answered, in the order it did; null if the worker was lost. */
  dialogue: v.nullable(v.string()),
  /** The device's own comparison before and after. */
  difference: v.exactOptional(v.string()),
  /** Further lines were omitted. */
  cut: v.exactOptional(v.literal(true)),
});
export type TranscriptContent = v.InferOutput<typeof transcriptContent>;

export interface TranscriptRecord extends TranscriptContent {
  /** Id of the job. */
  id: string;
  host: string;
  /** ISO 8601. */
  ended_at: string;
  /** Of the lines and the dialogue, joined by line breaks; as in the audit trail. */
  sha256: string;
}
