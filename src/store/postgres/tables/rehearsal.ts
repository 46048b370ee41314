/** The record of lines: what devices answered to lines of each shape. */
import { index, primaryKey, text } from "drizzle-orm/pg-core";
import { type Row, table, whole } from "./columns.ts";

/** Nothing in it is a name, a value or a secret: shapes have words for the kinds of values. */
export const lineEvidence = table(
  "line_evidence",
  {
    platform: text("platform").notNull(),
    /** Empty: not known. */
    versionMajor: text("version_major").notNull(),
    section: text("section").notNull(),
    shape: text("shape").notNull(),
    accepted: whole("accepted").notNull(),
    refused: whole("refused").notNull(),
    /** Words of a device, masked. */
    sampleError: text("sample_error"),
    lastAt: whole("last_at").notNull(),
  },
  (evidence) => [
    primaryKey({ columns: [evidence.platform, evidence.section, evidence.shape, evidence.versionMajor] }),
    index("line_evidence_shape").on(evidence.platform, evidence.shape),
    index("line_evidence_last").on(evidence.lastAt),
  ],
);

export type LineEvidenceRow = Row<typeof lineEvidence>;
