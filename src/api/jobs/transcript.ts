/** What a push sent and received, as in GET /job/{name}/sent. */
import * as v from "valibot";
import { described, moment, named, text, texts } from "../schema.ts";

/** The sealed part. */
export const transcriptContent = v.object({
  lines: described(texts, "As rendered, with secrets masked"),
  dialogue: described(
    v.nullable(text),
    "What the device answered, in the order it did; null if the worker was lost",
  ),
  difference: v.exactOptional(described(text, "The difference that the device itself made of the lines")),
  cut: v.exactOptional(described(v.literal(true), "There were more lines")),
});
export type TranscriptContent = v.InferOutput<typeof transcriptContent>;

export const transcriptRecord = named(
  "Transcript",
  v.object({
    id: described(text, "Of the job"),
    host: text,
    ended_at: moment,
    ...transcriptContent.entries,
    sha256: described(text, "Of the lines and the dialogue, joined by line breaks; as in the audit trail"),
  }),
);
export type TranscriptRecord = v.InferOutput<typeof transcriptRecord>;
