/** State changes applied to the displayed rows. */
import { expect, test } from "vitest";
import { createRecent, withChanges } from "../../src/console/pages/jobs/job-changes.ts";
import type { JobRow } from "../../src/console/shapes/shapes.ts";

const row = (id: string): JobRow => ({
  ...{ id, status: "queued", host: "r1", driver: "netmiko", operation: "query" },
  ...{ created_at: "2026-11-22T12:00:00Z", ended_at: null, duration: null, device_type: null },
  submitted_by: { kind: "key", name: "ops" },
});
const at = "2026-11-22T12:00:01Z";
const change = (id: string, status: JobRow["status"]) => ({ id, status, host: "r1", attempt: 1, at });

test("the last state of a job is shown, and matching jobs not in the list are counted", () => {
  const rows = [row("a"), row("b")];
  const { changed, unknown } = withChanges(
    rows,
    [
      change("a", "running"),
      { ...change("a", "failed"), error_type: "ReadTimeout" },
      change("c", "queued"),
      change("d", "running"),
    ],
    ({ status }) => status === "queued",
  );
  expect(changed[0]).toMatchObject({ status: "failed", error_type: "ReadTimeout", ended_at: at });
  expect(changed[1]).toBe(rows[1]);
  expect(unknown).toBe(1);
  expect(withChanges(rows, [], () => true).changed).toBe(rows);
});

test("a held job is no longer held once it runs or has ended", () => {
  const held: JobRow[] = [row("a"), row("b")].map((one) => ({ ...one, held: true }));
  const { changed } = withChanges(held, [change("a", "cancelled"), change("b", "held")], () => true);
  expect(changed.map((one) => one.held)).toEqual([undefined, true]);
});

test("rows read before a change arrived are not shown in an older state", () => {
  const recent = createRecent();
  recent.note([change("a", "running"), change("a", "finished"), change("b", "queued")]);
  const rows: JobRow[] = [row("a"), { ...row("b"), status: "failed" }, row("c")];
  expect(recent.over(rows).map(({ status }) => status)).toEqual(["finished", "failed", "queued"]);
});

test("remembered changes expire and are limited in number", () => {
  let now = 0;
  const recent = createRecent(() => now);
  const rows: JobRow[] = [row("a")];
  recent.note([change("a", "failed")]);
  now = 31_000;
  recent.note([change("b", "failed")]);
  expect(recent.over(rows)[0]?.status).toBe("failed");
  now = 62_000;
  recent.note([change("c", "failed")]);
  expect(recent.over(rows)).toBe(rows);
  for (let n = 0; n < 60_000; n++) recent.note([change(`x${n}`, "failed")]);
  expect(recent.size()).toBeLessThanOrEqual(20_000);
  expect(recent.over([row("x59999")])[0]?.status).toBe("failed");
});
