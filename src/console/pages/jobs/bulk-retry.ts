/** What can be retried of the devices shown: the safe ones, and pushes of unknown outcome after a second look. */

import * as v from "valibot";
import { page } from "../../reading/api.ts";
import { type Bulk, failedJob, failedJobFields, type JobRow, placeOf } from "../../shapes/shapes.ts";
import { counted } from "../../text/counted.ts";
import { text } from "../../text/text.ts";

/** A push that the device may have applied. */
export interface Doubt {
  readonly id: string;
  readonly name: string;
  /** Lines that may have run. */
  readonly sent: readonly string[];
}

export interface TileFilter {
  readonly errorType?: string;
  readonly show?: "cancelled" | "unknown";
}

export interface RetryChoice {
  readonly label: string;
  /** Confirmation text. */
  readonly sure: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Where lines may run twice. */
  readonly doubts: readonly Doubt[];
}

const perPage = 500;

/** The pushes of unknown outcome of a bulk that has ended. @throws ApiError */
export async function doubtsOf(bulk: Bulk, signal: AbortSignal): Promise<readonly Doubt[]> {
  const mayBe = bulk.operation === "config" && bulk.dry_run !== true && bulk.status !== "running";
  const doubts: Doubt[] = [];
  if (!mayBe || (bulk.counts.failed ?? 0) === 0) return doubts;
  const query = { bulk_id: bulk.id, status: "failed", limit: String(perPage) };
  let cursor: string | undefined;
  do {
    const search = new URLSearchParams({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    search.set("fields", failedJobFields);
    const { data, next } = await page(v.array(failedJob), `/job?${search}`, { signal });
    for (const { id, result, ...row } of data)
      if (result?.error?.outcome === "unknown")
        doubts.push({ id, name: placeOf(row), sent: result.error.sent ?? [] });
    cursor = next;
  } while (cursor !== undefined);
  return doubts;
}

export function shownOf(
  rows: readonly JobRow[],
  { errorType, show }: TileFilter,
  doubts: readonly Doubt[],
): readonly JobRow[] {
  if (errorType !== undefined) return rows.filter(({ error_type }) => error_type === errorType);
  if (show === "cancelled") return rows.filter(({ status }) => status === "cancelled");
  if (show !== "unknown") return rows;
  const unknown = new Set(doubts.map(({ id }) => id));
  return rows.filter(({ id }) => unknown.has(id));
}

/** As many as there is room for: what has just finished comes last, else the order stays. */
export function tilesOf(rows: readonly JobRow[], room: number): readonly JobRow[] {
  if (rows.length <= room) return rows;
  const [finished, others] = [true, false].map((wanted) =>
    rows.filter(({ status }) => (status === "finished") === wanted),
  );
  return [...(others ?? []), ...(finished ?? [])].slice(0, room);
}

/** The buttons for what is shown. @param rows all devices of the bulk */
export function retriesOf(
  rows: readonly JobRow[],
  filter: TileFilter,
  doubts: readonly Doubt[],
): readonly RetryChoice[] {
  const shown = shownOf(rows, filter, doubts);
  const failed = shown.filter(({ status }) => status === "failed");
  const only = failed.length > 0 ? "failed" : "cancelled";
  const chosen = failed.length > 0 ? failed : shown.filter(({ status }) => status === "cancelled");
  if (chosen.length === 0) return [];
  const { errorType } = filter;
  const body = { only, error_type: errorType };
  const ids = new Set(chosen.map(({ id }) => id));
  const unknown = doubts.filter(({ id }) => ids.has(id));
  const isFiltered = errorType !== undefined || filter.show !== undefined;
  const safe = chosen.length - unknown.length;
  const sure = (count: number) => `Retry ${counted(count, "device")}?`;
  if (unknown.length === 0) {
    const label = isFiltered
      ? `Retry the ${safe} shown`
      : only === "failed"
        ? text.retry
        : text.retryCancelled;
    return [{ label, sure: sure(safe), body, doubts: [] }];
  }
  return [
    ...(safe > 0
      ? [
          {
            label: `Retry the ${safe} safe ${safe === 1 ? "one" : "ones"}`,
            ...{ sure: sure(safe), body: { ...body, outcome: "known" }, doubts: [] },
          },
        ]
      : []),
    {
      label: `Retry the ${unknown.length} of unknown outcome`,
      ...{ sure: text.sureOfUnknown, body: { ...body, outcome: "unknown", force: true }, doubts: unknown },
    },
  ];
}
