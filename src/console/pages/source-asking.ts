/** What the pages of sources ask of the API. */
import * as v from "valibot";
import { type Page, page } from "../api.ts";
import { useLoad } from "../load.ts";
import { type Upsert, upsert } from "../shapes-inventory.ts";
import { type Schedule, schedule } from "../shapes-schedules.ts";

const schedulesPerPage = 500;

export const pathOf = (name: string) => `/inventory/source/${encodeURIComponent(name)}`;

/** It may take minutes; a page that is left does not call it off. @throws ApiError what it failed with */
export function syncOf(name: string, { dryRun }: { readonly dryRun: boolean }): Promise<Page<Upsert>> {
  return page(upsert, `${pathOf(name)}/sync${dryRun ? "?dry_run=true" : ""}`, { method: "POST" });
}

/** All of them: each may sync a source. */
export function useSchedules() {
  return useLoad((signal) => schedulesFrom("", signal), []);
}

async function schedulesFrom(cursor: string, signal: AbortSignal): Promise<Schedule[]> {
  const search = new URLSearchParams({ limit: String(schedulesPerPage), ...(cursor ? { cursor } : {}) });
  const { data, next } = await page(v.array(schedule), `/schedule?${search}`, { signal });
  return next === undefined ? data : [...data, ...(await schedulesFrom(next, signal))];
}
