import { describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { createApp, jobRecord, keys, spy, ticket } from "../doubles/fixtures.ts";

const listing = (pages: JobRecord[][]) =>
  spy<Parameters<Jobs["list"]>, AsyncIterable<JobRecord[]>>(async function* () {
    yield* pages;
  });
const signal = expect.any(AbortSignal);
const records = (count: number) => Array.from({ length: count }, (_, n) => jobRecord(count - n));
const inPages = (all: JobRecord[], size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

describe("GET /job", () => {
  test.each([0, 1, 2, 199, 1000])("returns all %i as one array, in order", async (count) => {
    const list = listing(inPages(records(count), 200));
    const { send } = createApp({ list });
    const answer = await send("/job");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 200, message: "success", data: records(count) });
    expect(answer.headers.has("x-next-cursor")).toBe(false);
    expect(list.calls[0]?.[0]).toEqual({});
  });

  test("continues over empty pages", async () => {
    const list = listing([[], records(2), [], [jobRecord(9)], []]);
    expect((await createApp({ list }).send("/job")).body.data).toEqual([...records(2), jobRecord(9)]);
  });

  test("passes every filter on", async () => {
    const list = listing([]);
    const path =
      "/job?status=running&queue=fifo&host=192.0.2.1&driver=netmiko&bulk_id=b1&since=2026-01-31T08:00:00Z&cursor=c1";
    await createApp({ list }).send(path);
    const [filter, caller, page] = list.calls[0] ?? [];
    expect(filter).toEqual({
      status: "running",
      queue: "fifo",
      host: "192.0.2.1",
      driver: "netmiko",
      bulk_id: "b1",
      since: "2026-01-31T08:00:00Z",
    });
    expect(caller?.name).toBe("name-admin");
    expect(page).toEqual({ cursor: "c1", signal });
  });

  test("passes on label, error type and creation time", async () => {
    const list = listing([]);
    const named = {
      operation: "config",
      error_type: "ReadTimeout",
      label: "a b",
      ticket: "CHG-7",
      tag: "core",
    };
    const filter = { ...named, until: "2026-01-31T08:00:00Z" };
    await createApp({ list }).send(`/job?${new URLSearchParams(filter)}`);
    expect(list.calls[0]?.[0]).toEqual(filter);
    const cancel = spy<Parameters<Jobs["cancel"]>, Promise<string[]>>(async () => []);
    await createApp({ cancel }).send(`/job?${new URLSearchParams(filter)}`, { method: "DELETE" });
    expect(cancel.calls[0]?.slice(0, 2)).toEqual([filter, false]);
  });

  test("omits results if not requested, without reading them", async () => {
    const list = listing([records(2)]);
    const { send } = createApp({ list });
    const without = await send("/job?include_result=false");
    const { result: _, ...rest } = jobRecord(2);
    expect(without.body.data).toEqual([rest, expect.not.objectContaining({ result: expect.anything() })]);
    expect(list.calls[0]?.[2]).toEqual({ parts: { result: false, asked: true, webhook: true }, signal });
    expect((await send("/job?include_result=true")).body.data).toEqual(records(2));
    expect(list.calls[1]?.[2]).toEqual({ signal });
  });

  test("returns only the requested fields, without reading others", async () => {
    const list = listing([records(1)]);
    const { send } = createApp({ list });
    const answer = await send("/job?fields=id,status,%20result,label");
    const { id, status, result } = jobRecord(1);
    expect(answer.body.data).toEqual([{ id, status, result }]);
    expect(list.calls[0]?.[2]).toEqual({ parts: { result: true, asked: false, webhook: false }, signal });
    const both = await send("/job?fields=result,id,command,webhook&include_result=0");
    expect(both.body.data).toEqual([{ id }]);
    expect(list.calls[1]?.[2]).toEqual({ parts: { result: false, asked: true, webhook: true }, signal });
    for (const fields of ["", "id,passwort", "id,,status"]) {
      const refused = await send(`/job?fields=${fields}`);
      expect(refused).toMatchObject({ status: 422, body: { data: [{ path: "fields" }] } });
    }
  });

  test("returns one job as an array of one", async () => {
    const answer = await createApp({ list: listing([[jobRecord(1)]]) }).send(`/job?id=${jobRecord(1).id}`);
    expect(answer.body.data).toEqual([jobRecord(1)]);
  });

  test("answers 404 with one text for any unknown id", async () => {
    const { send } = createApp();
    const answers = await Promise.all(
      ["x", ticket.id, "1%27%20OR%201=1", "%00", "x".repeat(7000)].flatMap((id) => [
        send(`/job?id=${id}`),
        send(`/job?id=${id}&limit=5`),
      ]),
    );
    for (const { status, body } of answers)
      expect([status, body]).toEqual([
        404,
        {
          code: -1,
          message: "There is no job with that id.",
          data: "There is no job with that id.",
        },
      ]);
  });

  test("reads page by page, only as fast as the client reads", async () => {
    let given = 0;
    let closed = false;
    const big = {
      ...jobRecord(1),
      result: { type: "success", retval: { a: "x".repeat(70_000) }, error: null },
    };
    const list: Jobs["list"] = async function* () {
      try {
        for (; given < 1_000_000; given++) yield [big as JobRecord];
      } finally {
        closed = true;
      }
    };
    const { app } = createApp({ list });
    const request = new Request("http://patchbay.example/job", { headers: { "x-api-key": keys.read } });
    const response = await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} });
    const reader = response.body?.getReader();
    for (let n = 0; n < 5; n++) await reader?.read();
    expect(given).toBeLessThan(20);
    await reader?.cancel();
    expect(closed).toBe(true);
  });

  test("aborts the response and logs it if reading fails midway", async () => {
    const list: Jobs["list"] = async function* () {
      yield records(3);
      yield records(3);
      throw new Error("store gone");
    };
    const { app, lines } = createApp({ list });
    const request = new Request("http://patchbay.example/job", {
      headers: { "x-api-key": keys.read, "x-request-id": "req-9" },
    });
    const response = await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(lines.find((line) => line.event === "http.stream")).toMatchObject({
      level: "error",
      fields: { request: "req-9", reason: expect.stringContaining("store gone") },
    });
  });

  test("answers with the error status if the first page fails", async () => {
    // biome-ignore lint/correctness/useYield: fails before its first page
    const list: Jobs["list"] = async function* () {
      throw new ServiceError("Unavailable", "The store does not answer.");
    };
    expect((await createApp({ list }).send("/job")).status).toBe(503);
  });
});

describe("pages", () => {
  /** As in `Jobs`: a limit bounds the total. */
  const list: Jobs["list"] = async function* (_filter, _caller, { cursor }) {
    const all = records(10);
    const from = cursor === undefined ? 0 : all.findIndex((one) => one.id === cursor) + 1;
    yield all.slice(from);
  };

  test.each([1, 3, 5, 10, 11])("of %i return each job once and then end", async (limit) => {
    const { send } = createApp({ list });
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 20; page++) {
      const answer = await send(`/job?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
      const got = answer.body.data as JobRecord[];
      expect(got.length).toBeGreaterThan(0);
      seen.push(...got.map((one) => one.id));
      cursor = answer.headers.get("x-next-cursor");
      if (cursor === null) break;
      expect(cursor).toBe(got.at(-1)?.id);
    }
    expect(seen).toEqual(records(10).map((one) => one.id));
  });

  test("stop if a page has more than requested", async () => {
    let given = 0;
    const endless: Jobs["list"] = async function* () {
      for (; given < 1_000; given++) yield records(100);
    };
    const answer = await createApp({ list: endless }).send("/job?limit=7");
    expect(answer.body.data).toHaveLength(7);
    expect(given).toBe(0);
  });
});

describe("validates filters", () => {
  test.each([
    ["status=sleeping", "status"],
    ["status=", "status"],
    ["status=FINISHED", "status"],
    ["id=", "id"],
    ["queue=", "queue"],
    ["host=", "host"],
    ["driver=", "driver"],
    ["bulk_id=", "bulk_id"],
    ["cursor=", "cursor"],
    ["since=yesterday", "since"],
    ["since=1", "since"],
    ["since=2026-13-01", "since"],
    ["since=2026-11-31T08:00:00Z", "since"],
    ["since=Jan%202026", "since"],
    ["limit=0", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=1e3", "limit"],
    ["limit=501", "limit"],
    ["limit=1000000000", "limit"],
    ["limit=99999999999999999999", "limit"],
    ["limit=x", "limit"],
    ["limit=", "limit"],
    ["status=queued&status=failed", "status"],
  ])("GET /job?%s is 422", async (query, path) => {
    const answer = await createApp().send(`/job?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      code: -1,
      message: "Validation Error",
      data: [{ path, message: expect.stringMatching(/^(must|is given)/) }],
    });
  });

  test.each([
    ["2026-01-31", "2026-01-31T00:00"],
    ["2026-01-31T08:00", "2026-01-31T08:00"],
    ["2026-01-31T08:00:00.123456Z", "2026-01-31T08:00:00.123456Z"],
    ["2026-01-31T08:00:00%2B02:00", "2026-01-31T08:00:00+02:00"],
    ["2026-01-31T08:00:00+02:00", "2026-01-31T08:00:00+02:00"],
    ["2026-01-31T08:00:00-05:00", "2026-01-31T08:00:00-05:00"],
    ["2026-01-31T08:00:00+02", "2026-01-31T08:00:00+02:00"],
  ])("accepts since=%s", async (given, expected) => {
    const list = listing([]);
    expect((await createApp({ list }).send(`/job?since=${given}`)).status).toBe(200);
    expect(list.calls[0]?.[0].since).toBe(expected);
  });

  test("reports several issues together", async () => {
    const { body } = await createApp().send("/job?status=x&limit=0");
    expect((body.data as { path: string }[]).map((one) => one.path)).toEqual(["status", "limit"]);
  });
});

describe("DELETE /job", () => {
  const cancelling = () =>
    spy<Parameters<Jobs["cancel"]>, Promise<string[]>>(async () => [ticket.id, "second"]);

  test.each([
    ["id=a", { id: "a" }, false],
    ["queue=pinned_192.0.2.1", { queue: "pinned_192.0.2.1" }, false],
    ["host=192.0.2.1&force=true", { host: "192.0.2.1" }, true],
    ["id=a&force=1", { id: "a" }, true],
    ["id=a&force=false", { id: "a" }, false],
    ["id=a&force=0", { id: "a" }, false],
    [
      "queue=FifoQ&bulk_id=b&status=started&driver=netmiko&since=2026-01-31&force=1",
      { queue: "fifo", bulk_id: "b", status: "running", driver: "netmiko", since: "2026-01-31T00:00" },
      true,
    ],
  ])("?%s cancels and returns the ids", async (query, filter, force) => {
    const cancel = cancelling();
    const answer = await createApp({ cancel }).send(`/job?${query}`, { method: "DELETE" });
    expect(answer).toMatchObject({ status: 200, body: { code: 200, data: [ticket.id, "second"] } });
    expect(cancel.calls[0]?.slice(0, 2)).toEqual([filter, force]);
  });

  test.each(["", "?force=true", "?status=", "?id=", "?id=a&force=yes", "?id=a&id=b", "?queue=a&bulkid=b"])(
    "%s is 422 and cancels nothing",
    async (query) => {
      const cancel = cancelling();
      expect((await createApp({ cancel }).send(`/job${query}`, { method: "DELETE" })).status).toBe(422);
      expect(cancel.calls).toHaveLength(0);
    },
  );

  test("an unknown id is 404", async () => {
    const cancel = async () => {
      throw new ServiceError("NotFound", "There is no job with that id.");
    };
    expect((await createApp({ cancel }).send("/job?id=x", { method: "DELETE" })).status).toBe(404);
  });
});
