import type { LineEvidenceRow } from "../tables/rehearsal.ts";

export type StoredEvidence = LineEvidenceRow;

/** What was seen of one shape since the last write: counts to add. */
export type NewEvidence = Omit<LineEvidenceRow, "lastAt">;

/** Position behind a row. */
export type EvidencePlace = Pick<LineEvidenceRow, "platform" | "versionMajor" | "section" | "shape">;

/** What devices answered to lines, by their shapes. */
export interface LineEvidence {
  /** Adds counts. Not idempotent: sent again after a lost answer it may count twice. */
  add(evidence: readonly NewEvidence[], at: number): Promise<void>;
  /** Of a platform: the shapes, wherever they stand, and the accepted ones of the sections, the most frequent first. */
  find(
    platform: string,
    wanted: { readonly shapes: readonly string[]; readonly sections: readonly string[] },
    limit: number,
  ): Promise<StoredEvidence[]>;
  page(
    platform: string | undefined,
    behind: EvidencePlace | undefined,
    limit: number,
  ): Promise<StoredEvidence[]>;
  count(): Promise<number>;
  /** Removes a batch of the oldest rows, at most so many. @returns how many */
  trim(most: number): Promise<number>;
}
