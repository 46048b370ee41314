/** GET and DELETE /bulk: their parameters, and their paths in newer versions. */
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { bulkDetail, createApp, keys, spy } from "../doubles/fixtures.ts";

test("lists filtered bulks, 50 per page", async () => {
  const bulks = spy<Parameters<Jobs["bulks"]>, ReturnType<Jobs["bulks"]>>(async () => ({
    ...{ bulks: [bulkDetail], next: "bulk-1" },
  }));
  const { send } = createApp({ bulks });
  const answer = await send("/bulk");
  expect(answer.body).toEqual({ code: 200, message: "success", data: [bulkDetail] });
  expect(answer.headers.get("x-next-cursor")).toBe("bulk-1");
  expect(bulks.calls[0]?.[0]).toEqual({});
  expect(bulks.calls[0]?.[2]).toEqual({ limit: 50 });
  const filter = { status: "running", label: "a b", ticket: "CHG-7", tag: "core", driver: "netmiko" };
  const times = { since: "2026-01-31T08:00:00Z", until: "2026-02-01T08:00:00Z" };
  const all = new URLSearchParams({ ...filter, ...times, limit: "500", cursor: "bulk-9" });
  expect((await send(`/bulks?${all}`)).status).toBe(200);
  expect(bulks.calls[1]?.[0]).toEqual({ ...filter, ...times });
  expect(bulks.calls[1]?.[2]).toEqual({ limit: 500, cursor: "bulk-9" });
  for (const wrong of ["status=queued", "limit=501", "since=yesterday", "bulk_id=b"])
    expect((await send(`/bulk?${wrong}`)).status).toBe(422);
});

test("reads and cancels a bulk by its id", async () => {
  const cancelBulk = spy<Parameters<Jobs["cancelBulk"]>, ReturnType<Jobs["cancelBulk"]>>(async () => ({
    ...{ cancelled: 190, stopping: 3 },
  }));
  const bulkRecord = spy<Parameters<Jobs["bulkRecord"]>, ReturnType<Jobs["bulkRecord"]>>(async (id) => {
    if (id === "bulk-1") return bulkDetail;
    throw new ServiceError("NotFound", "There is no bulk with that id.");
  });
  const { send } = createApp({ cancelBulk, bulkRecord });
  expect((await send("/bulk/bulk-1")).body.data).toEqual(bulkDetail);
  expect((await send("/bulks/bulk-1")).body.data).toEqual(bulkDetail);
  expect((await send("/bulk/other")).status).toBe(404);
  const cancelled = await send("/bulk/bulk-1?force=true", { method: "DELETE" });
  expect(cancelled.body.data).toEqual({ cancelled: 190, stopping: 3 });
  expect(cancelBulk.calls[0]?.slice(0, 2)).toEqual(["bulk-1", true]);
  await send("/bulks/bulk-1", { method: "DELETE" });
  expect(cancelBulk.calls[1]?.slice(0, 2)).toEqual(["bulk-1", false]);
  expect((await send("/bulk/bulk-1", { method: "DELETE", key: keys.read })).status).toBe(403);
});
