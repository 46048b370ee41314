/** Entries of the audit trail, as in GET /audit. */
import * as v from "valibot";
import { submitter } from "../jobs/job.ts";
import { described, integer, moment, named, text } from "../schema.ts";

export const auditEntry = named(
  "AuditEntry",
  v.object({
    id: integer,
    at: moment,
    who: described(text, "Name and id of the API key"),
    from: described(v.nullable(text), "Address of the caller"),
    action: text,
    host: v.nullable(text),
    job_id: v.nullable(text),
    outcome: text,
    detail: v.nullable(text),
    asked: described(
      v.nullable(v.object({ length: integer, sha256: text, first_line: text })),
      "Size, SHA-256 and first line of the request of a job, without secrets",
    ),
    submitted_by: described(
      v.nullable(submitter),
      "Of a job; else the person or schedule in whose name it was done; null: a key did, or an older version wrote it",
    ),
    bulk_id: v.nullable(text),
    device: v.nullable(text),
    ticket: v.nullable(text),
    sent_sha256: described(v.nullable(text), "Of what a push sent and received: `GET /job/{name}/sent`"),
  }),
);
export type AuditEntry = v.InferOutput<typeof auditEntry>;
