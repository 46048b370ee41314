import { describe, expect, test } from "vitest";
import type { Admin } from "../../../src/admin/port.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { createApp, jobRecord, query, spy, ticket, workerRecord } from "../doubles/fixtures.ts";

describe("POST /device/execute", () => {
  test("answers 201 with the ticket and its Location", async () => {
    const answer = await createApp().send("/device/execute", { body: query });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/job?id=${ticket.id}`);
    expect(answer.body).toEqual({ code: 200, message: "success", data: ticket });
  });

  test("passes on body, caller and Idempotency-Key", async () => {
    const submit = spy<Parameters<Jobs["submit"]>, Promise<typeof ticket>>(async () => ticket);
    const headers = { "Idempotency-Key": "once-1" };
    await createApp({ submit }).send("/device/execute", { body: query, headers });
    const [body, caller, key] = submit.calls[0] ?? [];
    expect(body?.value).toEqual(query);
    expect([caller?.name, caller?.from, key]).toEqual(["name-admin", "198.51.100.7", "once-1"]);
  });

  test("rejects an empty Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "" };
    expect((await createApp().send("/device/execute", { body: query, headers })).status).toBe(400);
  });

  test("lists ignored arguments as warnings", async () => {
    const warned = { ...ticket, warnings: ["driver_args.sav is not known to netmiko and was ignored"] };
    const { send } = createApp({ submit: async () => warned });
    expect((await send("/device/execute", { body: query })).body.data).toEqual(warned);
    const waited = await send("/device/execute", { body: query, headers: { Prefer: "wait=1" } });
    expect(waited.body.data).toMatchObject({ status: "finished", warnings: warned.warnings });
  });

  test.each([
    ["wait=20", 20_000],
    ["respond-async, wait=5", 5_000],
    ['wait="7"', 7_000],
    ["WAIT = 3", 3_000],
    ["wait=99999", 600_000],
    ["wait=0", 0],
  ])("Prefer: %s waits for the end", async (prefer, waitMs) => {
    const waitFor = spy<Parameters<Jobs["waitFor"]>, Promise<JobRecord>>(async () => jobRecord(1));
    const { send } = createApp({ waitFor });
    const answer = await send("/device/execute", { body: query, headers: { Prefer: prefer } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("preference-applied")).toBe(`wait=${waitMs / 1000}`);
    expect(answer.body.data).toMatchObject(jobRecord(1));
    expect(waitFor.calls[0]?.slice(0, 2)).toEqual([ticket.id, waitMs]);
  });

  test.each(["wait", "wait=", "wait=-1", "wait=1.5", "wait=x", "respond-async, wait"])(
    "Prefer: %s is ignored with a warning",
    async (prefer) => {
      const { send } = createApp();
      const answer = await send("/device/execute", { body: query, headers: { Prefer: prefer } });
      expect(answer.body.data).toEqual({
        ...ticket,
        warnings: ["Prefer: wait was ignored: it needs a whole number of seconds, such as `Prefer: wait=60`"],
      });
      expect(answer.headers.has("preference-applied")).toBe(false);
    },
  );

  test.each(["waits=3", "nowait=3", "respond-async", "return=minimal"])(
    "Prefer: %s is ignored",
    async (prefer) => {
      const { send } = createApp();
      const answer = await send("/device/execute", { body: query, headers: { Prefer: prefer } });
      expect(answer.body.data).toEqual(ticket);
      expect(answer.headers.has("preference-applied")).toBe(false);
    },
  );

  test("returns the ticket if the job was deleted meanwhile", async () => {
    const { send } = createApp({ waitFor: async () => undefined });
    const answer = await send("/device/execute", { body: query, headers: { Prefer: "wait=1" } });
    expect(answer.body.data).toEqual(ticket);
  });
});

describe("POST /device/bulk", () => {
  const answered = {
    succeeded: [
      { ...ticket, id: jobRecord(1).id },
      { ...ticket, id: jobRecord(2).id },
    ],
    failed: ["192.0.2.9"],
    failed_jobs: [{ host: "192.0.2.9", id: "x", reason: "device_type is required" }],
    bulk_id: "bulk-7",
  };

  test("answers 200 with both lists", async () => {
    const answer = await createApp({ bulk: async () => answered }).send("/device/bulk", { body: query });
    expect([answer.status, answer.body]).toEqual([200, { code: 200, message: "success", data: answered }]);
  });

  test("is rejected with 413 above the maximum number of entries", async () => {
    const bulk = async () => {
      throw new ServiceError("PayloadTooLarge", "A bulk may name at most 10 devices; this one names 11.");
    };
    expect((await createApp({ bulk }).send("/device/bulk", { body: query })).status).toBe(413);
  });

  test("waits for all jobs and returns their state", async () => {
    const statusesOf: Jobs["statusesOf"] = async () =>
      new Map([
        [jobRecord(2).id, "finished"],
        [jobRecord(1).id, "failed"],
      ]);
    const waitForBulk = spy<Parameters<Jobs["waitForBulk"]>, Promise<void>>(async () => {});
    const { send } = createApp({ bulk: async () => answered, statusesOf, waitForBulk });
    const answer = await send("/device/bulk", { body: query, headers: { Prefer: "wait=9" } });
    expect(waitForBulk.calls[0]?.slice(0, 2)).toEqual(["bulk-7", 9_000]);
    expect((answer.body.data as typeof answered).succeeded.map((one) => one.status)).toEqual([
      "failed",
      "finished",
    ]);
    expect(answer.headers.get("preference-applied")).toBe("wait=9");
  });
});

describe("POST /device/test-connection", () => {
  test("reports success", async () => {
    const { send } = createApp();
    const answer = await send("/device/test-connection", { body: query });
    expect(answer).toMatchObject({
      status: 200,
      body: { code: 200, message: "Connection test completed", data: { success: true, error_message: null } },
    });
  });

  test("reports failure with code 200", async () => {
    const failed = {
      success: false,
      connection_time: null,
      error_message: "Authentication failed for u@192.0.2.1",
      device_info: null,
      timestamp: ticket.created_at,
    };
    const { send } = createApp({ testConnection: async () => failed });
    expect(await send("/device/test-connection", { body: query })).toMatchObject({
      status: 200,
      body: { code: 200, message: "Connection test failed", data: failed },
    });
  });
});

describe("GET /worker and DELETE /worker", () => {
  test("lists by filter", async () => {
    const workers = spy<Parameters<Admin["workers"]>, ReturnType<Admin["workers"]>>(async () => [
      workerRecord("node.fifo.1"),
    ]);
    const path = "/worker?name=node.fifo.1&queue=fifo&node=node&host=192.0.2.1&status=idle";
    const answer = await createApp({ workers }).send(path);
    expect(answer.body.data).toEqual([workerRecord("node.fifo.1")]);
    expect(workers.calls[0]?.[0]).toEqual({
      name: "node.fifo.1",
      queue: "fifo",
      node: "node",
      host: "192.0.2.1",
      status: "idle",
    });
  });

  test("answers 404 for an unknown name and an empty list for a filter without matches", async () => {
    const { send } = createApp({ workers: async () => [], stopWorkers: async () => [] });
    for (const method of ["GET", "DELETE"]) {
      expect((await send("/worker?name=x", { method })).status).toBe(404);
      expect(await send("/worker?queue=x", { method })).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  test("reports a worker that is already dead", async () => {
    const { send } = createApp({ stopWorkers: async () => [] });
    expect((await send("/worker?name=node.fifo.1", { method: "DELETE" })).body.data).toEqual([]);
  });

  test("returns the names of the stopped workers", async () => {
    const stopWorkers = spy<Parameters<Admin["stopWorkers"]>, Promise<string[]>>(async () => ["a", "b"]);
    const answer = await createApp({ stopWorkers }).send("/worker?node=n", { method: "DELETE" });
    expect(answer.body).toEqual({ code: 200, message: "success", data: ["a", "b"] });
    expect(stopWorkers.calls[0]?.[0]).toEqual({ node: "n" });
  });

  test("stops nothing without a filter", async () => {
    const stopWorkers = spy<Parameters<Admin["stopWorkers"]>, Promise<string[]>>(async () => ["a"]);
    const { send } = createApp({ stopWorkers });
    for (const path of ["/worker", "/worker?other=x", "/worker?name=", "/worker?status=sleepy"])
      expect([path, (await send(path, { method: "DELETE" })).status]).toEqual([path, 422]);
    expect(stopWorkers.calls).toHaveLength(0);
  });
});

describe("health", () => {
  test("GET /health says ok", async () => {
    expect((await createApp().send("/health")).body).toEqual({ code: 200, message: "success", data: "ok" });
  });

  test("/readyz gives the reason why work is not accepted; /livez does not check", async () => {
    const { send } = createApp({
      ready: async () => ({ ready: false, reasons: ["storage full"], doubts: [] }),
    });
    const answer = await send("/readyz", { key: null });
    expect(answer).toMatchObject({ status: 503, body: { code: -1, data: ["storage full"] } });
    expect(answer.headers.get("retry-after")).toBe("1");
    expect((await send("/livez", { key: null })).status).toBe(200);
  });

  test("/readyz of a service that may lose something says what, and is ready", async () => {
    const doubts = ["synchronous_commit is off"];
    const { send } = createApp({ ready: async () => ({ ready: true, reasons: [], doubts }) });
    expect(await send("/readyz", { key: null })).toMatchObject({
      status: 200,
      body: { code: 200, data: "ok", warnings: doubts },
    });
  });

  test("/readyz checks once for concurrent requests", async () => {
    let looks = 0;
    const ready = async () => {
      looks++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { ready: true, reasons: [], doubts: [] };
    };
    const { send } = createApp({ ready });
    await Promise.all(Array.from({ length: 50 }, () => send("/readyz", { key: null })));
    expect(looks).toBe(1);
  });

  test("/readyz checks again after a failed check", async () => {
    let looks = 0;
    const ready = async () => {
      if (++looks === 1) throw new Error("first");
      return { ready: true, reasons: [], doubts: [] };
    };
    const { send } = createApp({ ready });
    expect((await send("/readyz", { key: null })).status).toBe(500);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await send("/readyz", { key: null })).status).toBe(200);
  });
});

describe("GET /audit", () => {
  test("returns a page and the cursor of the next", async () => {
    const entry = {
      id: 9,
      at: ticket.created_at,
      who: "ops",
      from: null,
      action: "job.submit",
      host: "192.0.2.1",
      job_id: ticket.id,
      outcome: "queued",
      detail: null,
      asked: null,
      submitted_by: null,
      ...{ bulk_id: null, device: null, ticket: null, sent_sha256: null },
    };
    const audit = spy<Parameters<Admin["audit"]>, ReturnType<Admin["audit"]>>(async () => ({
      entries: [entry],
      next_cursor: "9",
    }));
    const { send } = createApp({ audit });
    const answer = await send("/audit?since=2026-01-01&limit=1&cursor=10");
    expect(answer.body.data).toEqual([entry]);
    expect(answer.headers.get("x-next-cursor")).toBe("9");
    expect(audit.calls[0]?.[0]).toEqual({ since: "2026-01-01T00:00", limit: 1, cursor: "10" });
    await send("/audit");
    expect(audit.calls[1]?.[0]).toEqual({ limit: 100 });
  });
});
