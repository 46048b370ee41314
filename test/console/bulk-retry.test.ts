/** Which buttons a bulk has for what is shown of it. */
import { describe, expect, test } from "vitest";
import { retriesOf, shownOf, type TileFilter, tilesOf } from "../../src/console/pages/jobs/bulk-retry.ts";
import type { JobRow } from "../../src/console/shapes/shapes.ts";

const row = (id: string, status: JobRow["status"], error_type?: string): JobRow => ({
  ...{ id, status, host: id, driver: "acme", operation: "config", created_at: "", ended_at: null },
  ...{ device_type: null, submitted_by: { kind: "key", name: "ops" } },
  ...{ duration: null, ...(error_type === undefined ? {} : { error_type }) },
});
const rows = [
  row("a", "finished"),
  row("b", "failed", "ConnectionLost"),
  row("c", "failed", "ConnectionLost"),
  row("d", "failed", "CommandError"),
  row("e", "cancelled"),
];
const doubt = (id: string) => ({ id, name: id, sent: ["x"] });

describe("the retries of a bulk", () => {
  test.each<[string, TileFilter, string[], string[], object[]]>([
    ["all", {}, [], ["Retry failed"], [{ only: "failed" }]],
    [
      "all, of which one may have been applied",
      {},
      ["b"],
      ["Retry the 2 safe ones", "Retry the 1 of unknown outcome"],
      [
        { only: "failed", outcome: "known" },
        { only: "failed", outcome: "unknown", force: true },
      ],
    ],
    [
      "a type of error",
      { errorType: "ConnectionLost" },
      [],
      ["Retry the 2 shown"],
      [{ only: "failed", error_type: "ConnectionLost" }],
    ],
    ["a type without doubts", { errorType: "CommandError" }, ["b"], ["Retry the 1 shown"], [{}]],
    ["only doubts", { show: "unknown" }, ["b", "c"], ["Retry the 2 of unknown outcome"], [{ force: true }]],
    ["what was cancelled", { show: "cancelled" }, ["b"], ["Retry the 1 shown"], [{ only: "cancelled" }]],
    ["nothing that failed", { errorType: "WorkerLost" }, [], [], []],
  ])("%s", (_what, filter, doubtful, labels, bodies) => {
    const choices = retriesOf(rows, filter, doubtful.map(doubt));
    expect(choices.map(({ label }) => label)).toEqual(labels);
    expect(choices.map(({ body }) => body)).toMatchObject(bodies);
  });

  test("of cancelled jobs alone are not called failed", () => {
    expect(retriesOf([row("e", "cancelled")], {}, [])).toMatchObject([
      { label: "Retry cancelled", body: { only: "cancelled" } },
    ]);
  });

  test("are for the tiles that the filter leaves", () => {
    expect(shownOf(rows, { show: "unknown" }, [doubt("b")]).map(({ id }) => id)).toEqual(["b"]);
    expect(shownOf(rows, {}, [])).toHaveLength(5);
  });
});

test("where there is no room for all tiles, those that did not just finish come first", () => {
  const ids = (room: number) => tilesOf(rows, room).map(({ id }) => id);
  expect(ids(5)).toEqual(["a", "b", "c", "d", "e"]);
  expect(ids(4)).toEqual(["b", "c", "d", "e"]);
});
