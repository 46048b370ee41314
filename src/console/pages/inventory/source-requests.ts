/** API requests of the source pages. */
import * as v from "valibot";
import { type Page, page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { type Upsert, upsert } from "../../shapes/inventory.ts";
import { type Schedule, schedule } from "../../shapes/schedules.ts";

const schedulesPerPage = 500;

export const pathOf = (name: string) => `/inventory/source/${encodeURIComponent(name)}`;

/**
 * May take minutes; leaving the page does not cancel it.
 * @throws ApiError the error of the sync
 */
export function syncOf(name: string, { dryRun }: { readonly dryRun: boolean }): Promise<Page<Upsert>> {
  return page(upsert, `${pathOf(name)}/sync${dryRun ? "?dry_run=true" : ""}`, { method: "POST" });
}

/** All schedules, as any of them may sync a source. */
export function useSchedules() {
  return useLoad((signal) => schedulesFrom("", signal), []);
}

async function schedulesFrom(cursor: string, signal: AbortSignal): Promise<Schedule[]> {
  const search = new URLSearchParams({ limit: String(schedulesPerPage), ...(cursor ? { cursor } : {}) });
  const { data, next } = await page(v.array(schedule), `/schedule?${search}`, { signal });
  return next === undefined ? data : [...data, ...(await schedulesFrom(next, signal))];
}
