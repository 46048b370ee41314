/** State changes applied to the displayed rows. */
import { expect, test } from "vitest";
import { createRecent, withChanges } from "../../src/console/pages/job-changes.ts";
import type { JobRow } from "../../src/console/shapes.ts";

const row = (id: string): JobRow => ({
  ...{ id, status: "queued", host: "r1", driver: "netmiko", operation: "query" },
  ...{ created_at: "2026-11-22T12:00:00Z", ended_at: null, duration: null },
});

test("the last state of a job is shown, and matching jobs not in the list are counted", () => {
  const rows = [row("a"), row("b")];
  const at = "2026-11-22T12:00:01Z";
  const { changed, unknown } = withChanges(
    rows,
    [
      { id: "a", status: "running" },
      { id: "a", status: "failed", error_type: "ReadTimeout", at },
      { id: "c", status: "queued" },
      { id: "d", status: "running" },
    ],
    ({ status }) => status === "queued",
  );
  expect(changed[0]).toMatchObject({ status: "failed", error_type: "ReadTimeout", ended_at: at });
  expect(changed[1]).toBe(rows[1]);
  expect(unknown).toBe(1);
  expect(withChanges(rows, [], () => true).changed).toBe(rows);
});

test("rows read before a change arrived are not shown in an older state", () => {
  const recent = createRecent();
  recent.note([
    { id: "a", status: "running" },
    { id: "a", status: "finished" },
    { id: "b", status: "queued" },
  ]);
  const rows: JobRow[] = [row("a"), { ...row("b"), status: "failed" }, row("c")];
  expect(recent.over(rows).map(({ status }) => status)).toEqual(["finished", "failed", "queued"]);
});

test("remembered changes expire and are limited in number", () => {
  let now = 0;
  const recent = createRecent(() => now);
  const rows: JobRow[] = [row("a")];
  recent.note([{ id: "a", status: "failed" }]);
  now = 31_000;
  recent.note([{ id: "b", status: "failed" }]);
  expect(recent.over(rows)[0]?.status).toBe("failed");
  now = 62_000;
  recent.note([{ id: "c", status: "failed" }]);
  expect(recent.over(rows)).toBe(rows);
  for (let n = 0; n < 60_000; n++) recent.note([{ id: `x${n}`, status: "failed" }]);
  expect(recent.size()).toBeLessThanOrEqual(20_000);
  expect(recent.over([row("x59999")])[0]?.status).toBe("failed");
});
