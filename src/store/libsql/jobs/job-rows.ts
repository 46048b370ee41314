/** Row shapes of jobs: decrypted at once, or later. */
import { ServiceError } from "../../../base/errors.ts";
import type { Cipher, SealPlace } from "../../cipher.ts";
import type { JobParts, StoredJob, UnopenedJob } from "../../port.ts";
import { namesOf, placeOf } from "../../tables/columns.ts";
import { jobRecord, jobs } from "../../tables.ts";
import { fieldsOf, number, type RowShape, rowShape, truth } from "../database/rows/rows.ts";
import { submitterFields } from "./submitters.ts";

const fields = { ...fieldsOf(jobs, ...namesOf(jobRecord)), ...submitterFields("jobs") };
const parts = fieldsOf(jobs, "result", "asked", "request");
const unread = { sql: "null", read: () => null };

/** Unrequested columns are not read: the rest of a row is a few hundred bytes, a result may be megabytes. */
export function jobShape({ result = true, asked = true, request = false }: JobParts = {}): RowShape<JobRow> {
  return rowShape({
    ...fields,
    result: result ? parts.result : { ...parts.result, ...unread },
    asked: asked ? parts.asked : { ...parts.asked, ...unread },
    ...(request ? { request: parts.request } : {}),
  });
}

export type ListedRow = JobRow & { readonly bytes: number; readonly isSmall: boolean };

/** Rows of a list in one statement: encrypted columns are included up to `:most` bytes, and their total size always. */
export function listedShape({ result = true, asked = true, request = false }: JobParts): RowShape<ListedRow> {
  const selected = Object.entries({ result, asked, request }).filter(([, isWanted]) => isWanted);
  // SQLite reads the length of a blob without reading the blob.
  const lengths = selected.map(([column]) => `coalesce(length(${column}), 0)`).join(" + ") || "0";
  const small = `${lengths} <= :most`;
  const smallOnly = (column: string) => ({ sql: `case when ${small} then ${column} end` });
  return rowShape({
    ...fields,
    bytes: number("bytes", lengths),
    isSmall: truth("is_small", small),
    result: { ...parts.result, ...(result ? smallOnly("result") : unread) },
    asked: { ...parts.asked, ...(asked ? smallOnly("asked") : unread) },
    ...(request ? { request: { ...parts.request, ...smallOnly("request") } } : {}),
  });
}

const states = rowShape(fields);
export type JobRow = (typeof states extends RowShape<infer T> ? T : never) & {
  readonly result: Uint8Array | null;
  readonly asked: Uint8Array | null;
  readonly request?: Uint8Array | null;
};

/** The result shown if the stored one can no longer be decrypted. */
const damaged = JSON.stringify({
  type: "failed",
  retval: null,
  error: { type: "Internal", message: "The stored result is damaged and cannot be decrypted." },
});

export function storedJob(cipher: Cipher, row: JobRow): StoredJob {
  return withResult(
    cipher,
    row,
    row.result && (cipher.tryOpen(row.result, placeOf(jobs.result, row.id)) ?? damaged),
  );
}

/** Copies the row once: a list makes 100,000 of these, and three copies took as long as the decryption. */
function withResult(cipher: Cipher, row: JobRow, result: string | null): StoredJob {
  const open = (sealed: Uint8Array | null | undefined, place: SealPlace) =>
    sealed ? (cipher.tryOpen(sealed, place) ?? null) : null;
  return {
    ...row,
    asked: open(row.asked, placeOf(jobs.asked, row.id)),
    request: open(row.request, placeOf(jobs.request, row.id)),
    whole: row.request !== undefined,
    result,
  };
}

export function unopenedJob(cipher: Cipher, row: JobRow): UnopenedJob {
  return {
    status: row.status,
    open: () => storedJob(cipher, row),
    bare: () => withResult(cipher, row, null),
    openUpTo(bytes) {
      const result = row.result && openUpTo(cipher, row.result, placeOf(jobs.result, row.id), bytes);
      return result === undefined ? undefined : withResult(cipher, row, result);
    },
  };
}

function openUpTo(cipher: Cipher, sealed: Uint8Array, place: SealPlace, bytes: number): string | undefined {
  try {
    return cipher.openUpTo(sealed, place, bytes);
  } catch (error) {
    if (error instanceof ServiceError) return damaged;
    throw error;
  }
}
