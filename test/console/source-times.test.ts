/** When a source was last synced, and when its schedules sync it next. */
import { expect, test } from "vitest";
import { countsOf } from "../../src/console/inventory-counts.ts";
import { lastSync, nextSync } from "../../src/console/pages/inventory/source-times.ts";

const counts = { added: 1, changed: 0, removed: 2, unchanged: 7 };
const run = {
  ...{ status: "succeeded" as const, started_at: "", by: "k", dry_run: false, error: null, ...counts },
};
const syncs = (id: string, source: string, at: string, state: "active" | "paused" = "active") => ({
  ...{ id, state, what: { kind: "sync" as const, source }, next: [at] },
});

test("the last sync of a source is the newest run that was not a dry run", () => {
  const runs = [
    { ...run, ended_at: "3", dry_run: true },
    { ...run, ended_at: "2" },
    { ...run, ended_at: "1" },
  ];
  expect(lastSync({ runs })?.ended_at).toBe("2");
  expect(lastSync({ runs: runs.slice(0, 1) })).toBeUndefined();
});

test("the next sync of a source is the earliest of its active schedules", () => {
  const schedules = [
    syncs("late", "fleet", "2027-01-02T00:00:00+00:00"),
    syncs("first", "FLEET", "2027-01-01T01:00:00+02:00"),
    syncs("paused", "fleet", "2026-12-01T00:00:00+00:00", "paused"),
    syncs("other", "fleet-2", "2026-12-01T00:00:00+00:00"),
    { ...syncs("query", "fleet", "2026-12-01T00:00:00+00:00"), what: { kind: "query" as const } },
    { ...syncs("none", "fleet", ""), next: [] },
  ];
  expect(nextSync("Fleet", schedules)).toEqual({ at: "2027-01-01T01:00:00+02:00", schedule: "first" });
  expect(nextSync("elsewhere", schedules)).toBeUndefined();
});

test("the counts of a sync are shown in words, without unknown ones", () => {
  expect(countsOf(counts)).toBe("1 added, 0 changed, 2 removed, 7 unchanged");
  expect(countsOf({ ...counts, added: null, changed: null, unchanged: null })).toBe("2 removed");
  expect(countsOf({ added: null, changed: null, removed: null, unchanged: null })).toBe("");
});
