/** The record of lines: what devices answered to lines of each shape. */
import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { type Row, table } from "./columns.ts";

/** Nothing in it is a name, a value or a secret: shapes have words for the kinds of values. */
export const lineEvidence = table(
  "line_evidence",
  {
    platform: text("platform").notNull(),
    /** Empty: not known. */
    versionMajor: text("version_major").notNull(),
    section: text("section").notNull(),
    shape: text("shape").notNull(),
    accepted: integer("accepted").notNull(),
    refused: integer("refused").notNull(),
    /** Words of a device, masked. */
    sampleError: text("sample_error"),
    lastAt: integer("last_at").notNull(),
  },
  (evidence) => [
    primaryKey({ columns: [evidence.platform, evidence.section, evidence.shape, evidence.versionMajor] }),
    index("line_evidence_shape").on(evidence.platform, evidence.shape),
    index("line_evidence_last").on(evidence.lastAt),
  ],
);

export type LineEvidenceRow = Row<typeof lineEvidence>;
