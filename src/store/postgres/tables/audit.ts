/** Tables of what was done: the audit trail, and what pushes sent and received. */
import { index, text } from "drizzle-orm/pg-core";
import { submitterKinds } from "../../../api/jobs/job.ts";
import { counted, type Row, sealed, table, whole } from "./columns.ts";

export const audit = table(
  "audit",
  {
    /** Increases with each entry. */
    id: counted("id"),
    at: whole("at").notNull(),
    endedAt: whole("ended_at"),
    who: text("who").notNull(),
    from: text("from_address"),
    action: text("action").notNull(),
    host: text("host"),
    jobId: text("job_id"),
    outcome: text("outcome").notNull(),
    detail: text("detail"),
    /** JSON: length, SHA-256 and first line of the request. */
    asked: sealed("asked", { row: "job_id" }),
    /** Of a job; null also in entries of older versions. */
    bulkId: text("bulk_id"),
    ticket: text("ticket"),
    device: text("device"),
    submitterKind: text("submitter_kind", { enum: submitterKinds }),
    submitter: text("submitter"),
    /** Of its transcript. */
    sentSha256: text("sent_sha256"),
  },
  (entry) => [index("audit_at").on(entry.at)],
);

/** What pushes sent and received, without secrets; kept as long as the audit trail, longer than the jobs. */
export const transcripts = table(
  "transcripts",
  {
    jobId: text("job_id").primaryKey(),
    at: whole("at").notNull(),
    host: text("host").notNull(),
    /** Id of the API key. */
    caller: text("caller").notNull(),
    content: sealed("content").notNull(),
  },
  (transcript) => [index("transcripts_at").on(transcript.at)],
);

export type AuditRow = Row<typeof audit>;
export type TranscriptRow = Row<typeof transcripts>;
